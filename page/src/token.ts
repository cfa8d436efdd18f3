/** The token of a server that requires one. It is in the fragment of the first address, which browsers do not send. */

const FRAGMENT = "#token=";
const KEY = "canfetch-token";

/** Return the token, or an empty string. It is kept until the tab is closed, and removed from the address. */
export function takeToken(): string {
  try {
    if (location.hash.startsWith(FRAGMENT)) {
      sessionStorage.setItem(KEY, decodeURIComponent(location.hash.slice(FRAGMENT.length)));
      history.replaceState(null, "", location.pathname + location.search);
    }
    return sessionStorage.getItem(KEY) ?? "";
  } catch {
    // The fragment is damaged, or the browser forbids storage.
    return "";
  }
}
