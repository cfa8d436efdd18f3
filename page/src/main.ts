/** Starts the page: preferences, texts, head, and one view at a time. */

import type { App, View } from "./app.js";
import { fill, h } from "./dom.js";
import { LiveRegion } from "./live-region.js";
import { loadPreferences, savePreferences } from "./preferences.js";
import { pageServer } from "./server.js";
import { pageHead, viewTabId } from "./shell.js";
import { initialState, type ViewName } from "./state.js";
import { Store } from "./store.js";
import { loadTexts } from "./texts.js";
import { viewFactory } from "./views.js";

const root = document.getElementById("page") as HTMLElement;
const preferences = loadPreferences();
const store = new Store({ ...initialState(preferences.language), ...preferences });
const server = pageServer();
const live = new LiveRegion();
document.body.append(live.element);

let app: App;
const views = new Map<ViewName, View>();
const frame = h("main", { class: "view", id: "view", role: "tabpanel" });

/** Ends the subscriptions of the head and the views. */
let unsubscribe: (() => void)[] = [];

async function showLanguage(): Promise<void> {
  const texts = await loadTexts(store.state.language);
  for (const end of unsubscribe) end();
  unsubscribe = [];
  app = {
    store,
    on: (keys, listener) => void unsubscribe.push(store.on(keys, listener)),
    texts,
    server,
    announce: (text, urgency) => live.announce(text, urgency),
    toast: (text) => live.toast(text),
  };
  for (const view of views.values()) view.drop?.();
  views.clear();
  document.documentElement.lang = texts.language;
  document.title = texts.t("page_title");
  fill(root, pageHead(app, () => app.toast(texts.t("link_copied"))), frame);
  await showView();
}

async function showView(): Promise<void> {
  const name = store.state.view;
  frame.setAttribute("aria-labelledby", viewTabId(name));
  frame.dataset["view"] = name;
  let view = views.get(name);
  if (!view) {
    const texts = app.texts;
    try {
      const factory = await viewFactory(name);
      if (texts !== app.texts || name !== store.state.view) return;
      view = factory(app);
      views.set(name, view);
    } catch (error) {
      console.error(error);
      fill(frame, h("p", { class: "note error" }, texts.t("view_failed")));
      return;
    }
  }
  frame.replaceChildren(view.element);
  view.show?.();
}

function applyTheme(): void {
  document.documentElement.dataset["theme"] = store.state.theme;
}

store.on(["language"], () => void showLanguage());
store.on(["view"], () => void showView());
store.on(["theme"], applyTheme);
store.on(["language", "theme", "singleKeys"], savePreferences);
applyTheme();
await showLanguage();
