/** The address of the file, the button that fetches it, and a sentence about where the file comes from. */

import type { FetchedFile } from "./api-types.js";
import type { App } from "./app.js";
import { fromContent, readBytes } from "./bytes.js";
import { type Child, fill, h } from "./dom.js";
import { EXAMPLE } from "./example.js";
import { fetchedText, sizeText } from "./fetched-text.js";
import { edition } from "./profiles.js";
import { ServerError } from "./server.js";
import { fetchedFile, type Replaced, shownAnswer, type State } from "./state.js";
import { formatSeconds } from "./units.js";

type Message = { readonly kind: "busy" | "error"; readonly text: string } | null;

export function sourceBar(app: App): HTMLElement {
  const { store, texts, server } = app;
  let message: Message = null;
  /** The answer to an address without a scheme, whose host did not answer on https, and the address on http. */
  let unencrypted: { readonly answer: FetchedFile; readonly url: string } | null = null;
  let request: AbortController | null = null;
  /** The address of the draft before another one was typed. */
  let addressBefore = store.state.address;

  const address = h("input", {
    class: "field mono address",
    type: "url",
    inputmode: "url",
    spellcheck: "false",
    autocapitalize: "off",
    autocomplete: "off",
    placeholder: EXAMPLE.address,
    "aria-label": texts.t("address_label"),
    "data-control": "address",
    on: {
      focus: () => (addressBefore = store.state.address),
      change: () => store.set({ address: address.value.trim() }),
    },
  });
  const button = h("button", { type: "submit", class: "button large", "data-control": "fetch" }, texts.t("fetch_button"));
  const state = h("div", { class: "source-state", role: "status" });

  const ask = async (): Promise<void> => {
    if (!server) return show({ kind: "error", text: texts.t("fetch_offline") });
    const typed = address.value.trim();
    const url = withScheme(typed);
    address.value = url;
    request?.abort();
    request = new AbortController();
    const { signal } = request;
    show({ kind: "busy", text: texts.t("fetching") });
    try {
      const answer = await server.post<FetchedFile>("fetch", { url, refresh: true, ...edition(store.state.profile) }, signal);
      if (signal.aborted) return;
      address.value = answer.robots_url;
      if (isRefused(answer)) return show({ kind: "error", text: texts.t("fetch_not_public") });
      message = null;
      const isUnanswered = answer.status === null && answer.hops.length === 0;
      unencrypted = isUnanswered && url !== typed ? { answer, url: `http://${typed}` } : null;
      const { content, content_encoding } = answer;
      const { text, bytes } = readBytes(fromContent({ content: content ?? "", content_encoding }));
      store.set(fetchedFile(store.state, { loaded: { text, bytes, name: "" }, fetched: answer, typed: typedPath(url), addressBefore }));
      addressBefore = answer.robots_url;
      update();
    } catch (error) {
      if (signal.aborted) return;
      const isInvalid = error instanceof ServerError && error.problem.status === 422;
      const reason = error instanceof Error ? error.message : String(error);
      show({ kind: "error", text: isInvalid ? texts.t("fetch_invalid") : texts.t("fetch_failed", { reason }) });
    }
  };

  function show(next: Message): void {
    message = next;
    update();
    if (next?.kind === "error") app.announce(next.text, "error");
  }

  function update(): void {
    const { state: current } = store;
    if (document.activeElement !== address) address.value = current.address;
    const kind = message?.kind ?? sourceKind(current);
    state.dataset["state"] = kind;
    fill(state, h("span", { class: "dot", "aria-hidden": "true" }), message ? message.text : sourceText(app));
    if (message === null && unencrypted && unencrypted.answer === shownAnswer(current)) state.append(" ", httpButton(unencrypted.url));
  }

  function httpButton(url: string): HTMLElement {
    const click = (): void => {
      address.value = url;
      void ask();
    };
    return h("button", { type: "button", class: "button plain", "data-control": "try-http", on: { click } }, texts.t("fetch_try_http"));
  }

  const element = h(
    "form",
    {
      class: "source-bar",
      novalidate: true,
      on: {
        submit: (event) => {
          event.preventDefault();
          void ask();
        },
      },
    },
    address,
    button,
    state,
  );
  app.on(["source", "edited", "fetched", "address", "file", "closed", "replaced"], () => {
    if (message?.kind === "error") message = null;
    update();
  });
  update();
  return element;
}

function sourceKind(state: State): string {
  return shownAnswer(state)?.access ?? state.source;
}

function sourceText(app: App): Child {
  const { texts, store, server } = app;
  const { source, edited, loaded, replaced } = store.state;
  const main = h("span", { class: "source-main" });
  const answer = shownAnswer(store.state);
  if (answer) {
    fill(main, fetchedText(texts, answer));
    const isDraftLost = replaced !== null && (answer.content === null || replaced.edited);
    return [main, " ", fetchDetails(app, answer), isDraftLost ? [" ", restoreButton(app, replaced)] : null];
  }
  fill(main, texts.t(`source_${source}${edited ? "_edited" : ""}`));
  const privacy = texts.t(server === null ? "nothing_sent" : isLoopback() ? "stays_here" : "only_lint_sent");
  return [
    main,
    " ",
    h("span", { class: "soft" }, privacy),
    source === "fetched" && loaded.text !== "" ? [" ", compareButton(app)] : null,
  ];
}

/** Type, size, age, and on request hops and headers. */
function fetchDetails(app: App, answer: FetchedFile): Child {
  const { texts } = app;
  const type = answer.headers["content-type"] ?? "";
  const age = answer.copy ? (Date.now() - Date.parse(answer.copy.fetched_at)) / 1000 : null;
  const hops = answer.hops.map(({ url, status, location }) =>
    h("li", {}, h("code", {}, String(status)), " ", h("code", {}, url), " → ", h("code", {}, location)),
  );
  return [
    h(
      "details",
      { class: "source-details" },
      h("summary", {}, texts.t("fetch_details")),
      h(
        "div",
        { class: "source-popup panel" },
        answer.copy
          ? h(
              "p",
              {},
              texts.t("fetch_size", { size: sizeText(texts, app.store.state, answer.copy.bytes), type: type || "–" }),
              age !== null && age >= 0 ? `, ${texts.t("fetch_age", { age: formatSeconds(age, texts) })}` : null,
            )
          : null,
        h("p", { class: "soft" }, answer.explanation),
        hops.length > 0 ? [h("h3", {}, texts.t("fetch_hops")), h("ol", {}, hops)] : null,
        h("h3", {}, texts.t("fetch_headers")),
        h(
          "dl",
          { class: "headers" },
          Object.entries(answer.headers).map(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]),
        ),
      ),
    ),
  ];
}

function compareButton({ texts, store }: App): HTMLElement {
  return h(
    "button",
    { type: "button", class: "button plain", "data-control": "compare", on: { click: () => store.set({ view: "compare" }) } },
    texts.t("fetch_compare"),
  );
}

function restoreButton({ texts, store }: App, replaced: Replaced): HTMLElement {
  const restore = (): void => store.set({ ...replaced, replaced: null });
  return h(
    "button",
    { type: "button", class: "button plain", "data-control": "restore-draft", on: { click: restore } },
    texts.t("restore_draft"),
  );
}

/** The transport refuses private addresses; its explanation starts with the kind of failure. */
function isRefused({ status, explanation }: FetchedFile): boolean {
  return status === null && explanation.startsWith("forbidden-address");
}

/** The path and query of a page whose robots.txt is fetched, or null for the address of a site or of its robots.txt. */
function typedPath(url: string): string | null {
  if (!URL.canParse(url)) return null;
  const { pathname, search } = new URL(url);
  return (pathname === "/" && search === "") || pathname === "/robots.txt" ? null : pathname + search;
}

function withScheme(address: string): string {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(address) ? address : `https://${address}`;
}

function isLoopback(): boolean {
  return /^(localhost|127(\.\d+){3}|\[::1\])$/.test(location.hostname);
}
