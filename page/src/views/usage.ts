export { placeholder as usageView } from "./placeholder.js";
