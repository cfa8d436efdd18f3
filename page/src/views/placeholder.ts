import type { ViewFactory } from "../app.js";
import { h } from "../dom.js";

/** A view that shows nothing yet. */
export const placeholder: ViewFactory = () => ({ element: h("div", { class: "panel" }) });
