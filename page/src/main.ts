/** Starts the page: preferences, the link, texts, head, and one view at a time. */

import type { App, View } from "./app.js";
import { copy } from "./clipboard.js";
import { fill, h } from "./dom.js";
import { currentProvenance, PageHistory } from "./history.js";
import { pageKeys } from "./keys.js";
import { LiveRegion } from "./live-region.js";
import { prefetch } from "./on-demand.js";
import type { Offer } from "./offline/offer.js";
import { loadPreferences, savePreferences } from "./preferences.js";
import { type Answers, Server } from "./server.js";
import type { LinkProblem } from "./share.js";
import { pageHead, viewTabId } from "./shell.js";
import { siteAddress } from "./site.js";
import { sourceBar } from "./source-bar.js";
import { initialState, type Provenance, provenance, type ViewName } from "./state.js";
import { Store } from "./store.js";
import { loadTexts, type TextKey } from "./texts.js";
import { Token } from "./token.js";
import { VerdictModel } from "./verdict-model.js";
import { viewFactory } from "./views.js";

const LINK_TEXTS = {
  damaged: "link_damaged",
  newer: "link_newer",
  "too-large": "link_too_large",
} as const satisfies Record<LinkProblem, TextKey>;

const ADDRESS_DELAY_MS = 600;
/** Characters. Larger files do not fit into a link. */
const MAX_ADDRESS_FILE = 300_000;

const root = document.getElementById("page") as HTMLElement;
const preferences = loadPreferences();
const store = new Store({ ...initialState(preferences.language), ...preferences });
const api = siteAddress("api");
const token = new Token();
const server = api === "" ? null : new Server(api, token);
/** Without a server, the page answers itself once the linter is loaded. */
let answers: Answers | null = server;
const offer = server ? null : await createOffer();
const live = new LiveRegion();
const verdicts = new VerdictModel(store, server);
document.body.append(live.element);
void verdicts.start();

let app: App;
const views = new Map<ViewName, View>();
const frame = h("div", { class: "view", id: "view", role: "tabpanel", tabindex: -1 });
const main = h("main", {});

/** Links are not part of the script of the first visit. */
const links = () => import("./share.js");
// The network may be gone when they are needed.
void verdicts.started.then(() => prefetch([links, () => import("./suggestions.js")], 0));

/** Ends the subscriptions of the head and the views. */
let unsubscribe: (() => void)[] = [];

async function createOffer(): Promise<Offer> {
  const { Offer } = await import("./offline/offer.js");
  const ready = (loaded: Answers): void => {
    answers = loaded;
    void showLanguage();
  };
  return new Offer(ready, (text) => live.announce(text, "error"));
}

async function showLanguage(): Promise<void> {
  const texts = await loadTexts(store.state.language);
  offer?.setLanguage(texts.language);
  for (const end of unsubscribe) end();
  unsubscribe = [];
  app = {
    store,
    on: (keys, listener) => void unsubscribe.push(store.on(keys, listener)),
    verdicts,
    onResults: (keys, listener) => void unsubscribe.push(verdicts.results.on(keys, listener)),
    texts,
    server,
    answers,
    offer,
    announce: (text, urgency) => live.announce(text, urgency),
    copyLink: () => void copyLink(),
    toast: (text) => live.toast(text),
  };
  void verdicts.started.then(() => prefetch([() => texts.complete()], 0));
  for (const view of views.values()) view.drop?.();
  views.clear();
  document.documentElement.lang = texts.language;
  document.title = texts.t("page_title");
  fill(main, sourceBar(app), frame);
  fill(root, pageHead(app), main);
  await showView();
}

async function showView(): Promise<void> {
  const name = store.state.view;
  const hadFocus = frame.contains(document.activeElement);
  frame.setAttribute("aria-labelledby", viewTabId(name));
  main.dataset["view"] = name;
  let view = views.get(name);
  if (!view) {
    const { texts } = app;
    try {
      const factory = await viewFactory(name, texts);
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
  // A single key changes the view while the focus is in it. Without this, the focus would be lost with the old view.
  if (hadFocus) frame.focus();
  view.show?.();
}

async function copyLink(): Promise<void> {
  const { toFragment } = await links();
  const fragment = await toFragment(store.state);
  if (fragment === null) {
    app.toast(app.texts.t("link_too_long"));
    return;
  }
  pages.write(store.state.view, fragment, provenance(store.state));
  await copy(location.href, app, "link_copied", "link_failed");
}

/** Whether reloading the page restores the draft. */
let isKept = true;

/** Keep the address of a changed page up to date, so that reloading it restores it. */
async function updateAddress(): Promise<void> {
  const { state } = store;
  const fragment = state.file.length > MAX_ADDRESS_FILE ? null : await (await links()).toFragment(state);
  if (state !== store.state) return;
  isKept = fragment !== null || !state.edited;
  if (fragment === null) pages.write(state.view, location.pathname + location.search, null);
  else pages.write(state.view, fragment, provenance(state));
}

/** Restore the state of a link, with what the browser's history knows of its file. Returns what is wrong with it. */
async function openLink(hash: string, known: Provenance | null): Promise<LinkProblem | null> {
  if (hash === "") return null;
  const { fromFragment, InvalidLink } = await links();
  try {
    const shared = await fromFragment(hash);
    if (shared) {
      const loaded = { text: shared.file ?? "", bytes: shared.bytes ?? null, name: "" };
      const unknown = { source: "shared", loaded, edited: false, fetched: null } as const;
      store.set({ ...shared, ...(known ?? unknown), replaced: null, undone: null });
      verdicts.keepQuestion();
    }
    return null;
  } catch (error) {
    if (error instanceof InvalidLink) return error.problem;
    throw error;
  }
}

function reportLink(problem: LinkProblem | null): void {
  if (problem === null) return;
  const text = app.texts.t(LINK_TEXTS[problem]);
  app.toast(text);
  app.announce(text, "error");
}

function applyTheme(): void {
  document.documentElement.dataset["theme"] = store.state.theme;
}

const problem = await openLink(location.hash, currentProvenance());
store.on(["language"], () => void showLanguage());
const pages = new PageHistory({
  show: (view) => {
    store.set({ view });
    void updateAddress();
  },
  open: (hash, known) => {
    void openLink(hash, known).then((found) => {
      reportLink(found);
      pages.writeView(store.state.view);
    });
  },
});
pages.writeView(store.state.view);
store.on(["view"], ({ view }) => {
  pages.add(view);
  void showView();
});
store.on(["theme"], applyTheme);
store.on(["language", "theme", "singleKeys"], savePreferences);
let addressTimer = 0;
const LINKED = [
  ...(["file", "bytes", "address", "urls", "crawlers", "profile", "selected", "filter", "onlyDiffering", "asList"] as const),
  ...(["closed", "loaded", "fetched", "historic", "view", "usage", "rules", "compare"] as const),
];
store.on(LINKED, () => {
  clearTimeout(addressTimer);
  addressTimer = window.setTimeout(() => void updateAddress(), ADDRESS_DELAY_MS);
});
addEventListener("beforeunload", (event) => {
  if (!isKept) event.preventDefault();
});
pageKeys(() => app);
token.onRejected(async (rejected) => (await import("./token-dialog.js")).askForToken(app.texts, rejected));
applyTheme();
await showLanguage();
reportLink(problem);
