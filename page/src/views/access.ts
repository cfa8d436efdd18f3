export { placeholder as accessView } from "./placeholder.js";
