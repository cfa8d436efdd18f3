/** The head of the page: the views, language, theme and link. */

import type { App } from "./app.js";
import { h, icon } from "./dom.js";
import { ICONS } from "./icons.js";
import { THEMES, VIEWS, type ViewName } from "./state.js";
import { LANGUAGES, type Language } from "./texts.js";

export function viewTabId(view: ViewName): string {
  return `tab-${view}`;
}

export function pageHead(app: App): HTMLElement {
  const { store, texts } = app;
  const tabs = VIEWS.map((view) =>
    h(
      "button",
      {
        type: "button",
        role: "tab",
        class: "tab",
        id: viewTabId(view),
        "aria-controls": "view",
        on: { click: () => store.set({ view }) },
      },
      texts.t(`view_${view}`),
    ),
  );
  const tabList = h("div", { class: "tabs", role: "tablist", "aria-label": texts.t("views_label") }, tabs);
  tabList.addEventListener("keydown", (event) => moveFocus(event, tabs));

  const viewSelect = h(
    "select",
    {
      class: "quiet-select view-select",
      "aria-label": texts.t("views_label"),
      on: { change: () => store.set({ view: viewSelect.value as ViewName }) },
    },
    VIEWS.map((view) => h("option", { value: view }, texts.t(`view_${view}`))),
  );

  const languageSelect = h(
    "select",
    {
      class: "quiet-select push",
      "aria-label": texts.t("language_label"),
      "data-control": "language",
      on: { change: () => store.set({ language: languageSelect.value as Language }) },
    },
    Object.entries(LANGUAGES).map(([code, name]) => h("option", { value: code, lang: code }, name)),
  );
  languageSelect.value = texts.language;

  const themeButton = h("button", {
    type: "button",
    class: "icon-button",
    "data-control": "theme",
    on: {
      click: () => {
        const next = THEMES[(THEMES.indexOf(store.state.theme) + 1) % THEMES.length];
        if (next) store.set({ theme: next });
      },
    },
  });

  const update = (): void => {
    const { view, theme } = store.state;
    VIEWS.forEach((name, index) => {
      const selected = name === view;
      tabs[index]?.setAttribute("aria-selected", String(selected));
      tabs[index]?.setAttribute("tabindex", selected ? "0" : "-1");
    });
    viewSelect.value = view;
    themeButton.replaceChildren(icon(...ICONS[theme]));
    themeButton.setAttribute("aria-label", texts.t(`theme_${theme}`));
    themeButton.title = texts.t(`theme_${theme}`);
  };
  app.on(["view", "theme"], update);
  update();

  return h(
    "header",
    { class: "top" },
    h("h1", { class: "brand" }, logo(), h("span", { class: "brand-name" }, "canfetch")),
    tabList,
    viewSelect,
    languageSelect,
    themeButton,
    h(
      "button",
      {
        type: "button",
        class: "button strong large link-button",
        "data-control": "link",
        "aria-label": texts.t("link_button"),
        on: { click: () => app.copyLink() },
      },
      icon(...ICONS.link),
      h("span", {}, texts.t("link_button")),
    ),
  );
}

/** Move the focus between tabs with the arrow keys, and select the tab. */
export function moveFocus(event: KeyboardEvent, tabs: readonly HTMLElement[]): void {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  const index = tabs.indexOf(document.activeElement as HTMLElement);
  if (step === undefined || index < 0) return;
  event.preventDefault();
  const next = tabs[(index + step + tabs.length) % tabs.length];
  next?.click();
  next?.focus();
}

function logo(): SVGSVGElement {
  const svg = icon("M6 8.5h11M6 13h5M12 15.5l2.2 2.2L19 13");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("class", "logo");
  const frame = document.createElementNS(svg.namespaceURI as "http://www.w3.org/2000/svg", "rect");
  for (const [name, value] of Object.entries({ width: 24, height: 24, rx: 6 })) frame.setAttribute(name, String(value));
  svg.prepend(frame);
  return svg;
}
