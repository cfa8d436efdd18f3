/** Origins, compared as `canfetch.core.origin` compares them. */

const DEFAULT_PORTS: Readonly<Record<string, string>> = { http: "80", https: "443", ftp: "21" };
// A URL with an authority. `///` is a path.
const URL_PARTS = /^(?:([a-z][a-z0-9+.-]*):)?\/\/([^/?#]*)([^#]*)/i;

/** Return the canonical origin of a URL that the engine accepts; null if its host is invalid. */
export function originOf(url: string, defaultScheme = ""): string | null {
  const [, writtenScheme = "", authority = ""] = URL_PARTS.exec(url) ?? [];
  const scheme = (writtenScheme || defaultScheme).toLowerCase();
  const hostAndPort = authority.slice(authority.lastIndexOf("@") + 1);
  const hostEnd = hostAndPort.startsWith("[") ? hostAndPort.indexOf("]") + 1 : hostAndPort.indexOf(":");
  const writtenHost = hostEnd < 0 ? hostAndPort : hostAndPort.slice(0, hostEnd);
  const digits = hostEnd < 0 ? "" : hostAndPort.slice(hostEnd).replace(/^:/, "");
  const host = canonicalHost(writtenHost);
  if (host === null) return null;
  const port = digits === "" ? (DEFAULT_PORTS[scheme] ?? "") : digits.replace(/^0+(?=.)/, "");
  return `${scheme}://${host}:${port}`;
}

/** Return the scheme and the origin that the robots.txt at `url` governs; null if it cannot be a robots.txt. */
export function originOfFile(url: string): { scheme: string; origin: string } | null {
  const [, scheme = "", authority = "", path] = URL_PARTS.exec(url) ?? [];
  if (scheme === "" || authority === "" || path !== "/robots.txt") return null;
  const origin = originOf(url);
  return origin === null ? null : { scheme: scheme.toLowerCase(), origin };
}

function canonicalHost(host: string): string | null {
  // Addresses in brackets become canonical. As in browsers, a zone is an error.
  return host.startsWith("[") || /[\x80-\uffff%]/.test(host) ? hostOf(host) : host.toLowerCase();
}

/** Names beyond ASCII become what browsers make of them, as in the library. */
function hostOf(host: string): string | null {
  try {
    return new URL(`https://${host}/`).hostname;
  } catch {
    return null;
  }
}
