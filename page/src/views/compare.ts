export { placeholder as compareView } from "./placeholder.js";
