/** The token of a server that requires one. It is in the fragment of the first address, which browsers do not send. */

const FRAGMENT = "#token=";
const KEY = "canfetch-token";

/** Asks the user for a token; an empty string if there is none. */
export type AskForToken = (rejected: string) => Promise<string>;

/** The token, which is kept until the tab is closed. All requests share it. */
export class Token {
  #value = takeToken();
  #ask: AskForToken | null = null;
  #answer: Promise<boolean> | null = null;

  get value(): string {
    return this.#value;
  }

  /** Set the function that asks the user for another token after the server has rejected one. */
  onRejected(ask: AskForToken): void {
    this.#ask = ask;
  }

  /**
   * Replace a token that the server has rejected. Resolves to false if the user enters none.
   *
   * Requests that are rejected meanwhile wait for the same answer. After a cancelled dialog, no further dialog appears.
   */
  renew(rejected: string): Promise<boolean> {
    if (rejected !== this.#value) return Promise.resolve(true);
    this.#answer ??= this.#renew(rejected);
    return this.#answer;
  }

  async #renew(rejected: string): Promise<boolean> {
    const value = (await this.#ask?.(rejected)) ?? "";
    if (value === "") return false;
    this.#value = value;
    this.#answer = null;
    keep(value);
    return true;
  }
}

/** Return the token of the address, which is removed from it, or of this tab; an empty string if there is none. */
function takeToken(): string {
  try {
    if (location.hash.startsWith(FRAGMENT)) {
      keep(decodeURIComponent(location.hash.slice(FRAGMENT.length)));
      history.replaceState(null, "", location.pathname + location.search);
    }
    return sessionStorage.getItem(KEY) ?? "";
  } catch {
    // The fragment is damaged, or the browser forbids storage.
    return "";
  }
}

function keep(value: string): void {
  try {
    sessionStorage.setItem(KEY, value);
  } catch {
    // The token then holds until the page is loaded again.
  }
}
