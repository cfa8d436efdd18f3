/** The page's only policy for Trusted Types: addresses of its own scripts, for the worker. */

interface ScriptPolicy {
  createScriptURL(url: string): unknown;
}

interface PolicyFactory {
  createPolicy(name: string, rules: { createScriptURL(url: string): string }): ScriptPolicy;
}

const factory = (globalThis as { trustedTypes?: PolicyFactory }).trustedTypes;

const policy: ScriptPolicy = factory?.createPolicy("canfetch", { createScriptURL: sameOrigin }) ?? {
  createScriptURL: sameOrigin,
};

/** Return the address of a script of this site, in the form that `new Worker` requires. */
export function scriptUrl(url: string): unknown {
  return policy.createScriptURL(url);
}

function sameOrigin(url: string): string {
  const resolved = new URL(url, document.baseURI);
  if (resolved.origin !== location.origin) throw new TypeError(`not a script of this site: ${url}`);
  return resolved.href;
}
