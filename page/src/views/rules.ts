export { placeholder as rulesView } from "./placeholder.js";
