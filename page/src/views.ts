/** Which module shows which view. Each is loaded when it is first shown. */

import type { ViewFactory } from "./app.js";
import type { ViewName } from "./state.js";
import type { Texts } from "./texts.js";

export async function viewFactory(name: ViewName, texts: Texts): Promise<ViewFactory> {
  if (name !== "access") await texts.complete();
  switch (name) {
    case "access":
      return (await import("./views/access/index.js")).accessView;
    case "usage":
      return (await import("./views/usage.js")).usageView;
    case "rules":
      return (await import("./views/rules.js")).rulesView;
    case "compare":
      return (await import("./views/compare.js")).compareView;
  }
}
