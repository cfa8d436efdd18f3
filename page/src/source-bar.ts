/** The address of the file, the button that fetches it, and a sentence about where the file comes from. */

import type { FetchedFile } from "./api-types.js";
import type { App } from "./app.js";
import { type Child, fill, h } from "./dom.js";
import { EXAMPLE } from "./example.js";
import { fetchedText } from "./fetched-text.js";
import type { RequestedFile } from "./fetch-file.js";
import { onDemand, prefetch } from "./on-demand.js";
import { type Server, ServerError } from "./server.js";
import { lastDraft, type Replaced, restoredDraft, shownAnswer, type State } from "./state.js";
import { failureText } from "./views/parts/problems.js";

type Message = { readonly kind: "busy" | "error"; readonly text: string } | null;

const loadFetching = () => import("./fetch-file.js");
type FetchPart = Awaited<ReturnType<typeof loadFetching>>;

export function sourceBar(app: App): HTMLElement {
  const { store, texts, server, verdicts } = app;
  // Without it, a fetch could not report that the network is gone.
  if (server) void verdicts.started.then(() => prefetch([loadFetching]));
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
    const found = await load(server, url, null);
    if (found) {
      const { part, loaded, fetched } = found;
      address.value = fetched.robots_url;
      if (part.isRefused(fetched)) {
        show({ kind: "error", text: texts.t("fetch_not_public") });
      } else {
        const isUnanswered = fetched.status === null && fetched.hops.length === 0;
        unencrypted = isUnanswered && url !== typed ? { answer: fetched, url: `http://${typed}` } : null;
        store.set(part.fetchedFile(store.state, { loaded, fetched, typed: part.typedPath(url), addressBefore }));
        addressBefore = fetched.robots_url;
        update();
      }
    }
    await followEdition();
  };

  /** Fetch the file again if its verdicts are those of another edition's access policy. */
  const followEdition = async (): Promise<void> => {
    const answer = shownAnswer(store.state);
    if (!server || !answer || request || answer.edition === store.state.profile) return;
    const found = await load(server, answer.robots_url, answer);
    // After an edit, the draft counts.
    if (!found || shownAnswer(store.state) !== answer) return;
    store.set(found.part.refetchedFile(store.state, found));
    update();
  };

  /** Fetch a file as the edition does. Returns null if another request followed, or if the server reports a problem. */
  async function load(
    from: Server,
    url: string,
    shown: FetchedFile | null,
  ): Promise<(RequestedFile & { readonly part: FetchPart }) | null> {
    request?.abort();
    const own = new AbortController();
    request = own;
    show({ kind: "busy", text: texts.t("fetching") });
    try {
      const part = await loadFetching();
      const found = await part.requestFile(from, { url, shown, profile: store.state.profile }, own.signal);
      if (own.signal.aborted) return null;
      message = null;
      return { ...found, part };
    } catch (error) {
      if (own.signal.aborted) return null;
      const isInvalid = error instanceof ServerError && error.problem.status === 422;
      show({ kind: "error", text: isInvalid ? texts.t("fetch_invalid") : failureText(texts, error) });
      return null;
    } finally {
      if (request === own) request = null;
    }
  }

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
  app.on(["profile", "source", "edited", "fetched"], () => void followEdition());
  update();
  return element;
}

function sourceKind(state: State): string {
  return shownAnswer(state)?.access ?? state.source;
}

function sourceText(app: App): Child {
  const { texts, store, server } = app;
  const { source, edited, loaded } = store.state;
  const draft = lastDraft(store.state);
  const main = h("span", { class: "source-main" });
  const answer = shownAnswer(store.state);
  if (answer) {
    fill(main, fetchedText(texts, answer));
    const isDraftLost = draft !== null && (answer.content === null || draft.edited);
    return [main, " ", fetchDetails(app, answer), isDraftLost ? [" ", restoreButton(app, draft)] : null];
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

/** Type, size, age, hops and headers, which are drawn on request. */
function fetchDetails(app: App, answer: FetchedFile): HTMLElement {
  const popup = h("div", { class: "source-popup panel" });
  const toggle = (): void => void onDemand(app, import("./fetch-details.js"), (part) => fill(popup, part.fetchDetails(app, answer)));
  return h("details", { class: "source-details", on: { toggle } }, h("summary", {}, app.texts.t("fetch_details")), popup);
}

function compareButton({ texts, store }: App): HTMLElement {
  return h(
    "button",
    { type: "button", class: "button plain", "data-control": "compare", on: { click: () => store.set({ view: "compare" }) } },
    texts.t("fetch_compare"),
  );
}

function restoreButton({ texts, store }: App, draft: Replaced): HTMLElement {
  const restore = (): void => store.set(restoredDraft(store.state, draft));
  return h(
    "button",
    { type: "button", class: "button plain", "data-control": "restore-draft", on: { click: restore } },
    texts.t("restore_draft"),
  );
}

function withScheme(address: string): string {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(address) ? address : `https://${address}`;
}

function isLoopback(): boolean {
  return /^(localhost|127(\.\d+){3}|\[::1\])$/.test(location.hostname);
}
