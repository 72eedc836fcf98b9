import type { Page, PagePolicy } from "../model/index.ts"

/** The directives to which a page may add sources, with their default sources. */
const directives = {
  "script-src": [],
  "style-src": ["'self'"],
  "img-src": ["'self'", "https:", "data:"],
  "font-src": ["'self'"],
  "connect-src": [],
  "frame-src": [],
  "media-src": [],
  "worker-src": [],
} as const satisfies Record<keyof PagePolicy, ReadonlyArray<string>>

const names = Object.keys(directives) as ReadonlyArray<keyof PagePolicy>

/** Directives with the nonce, for inline scripts and styles. */
const withNonce: ReadonlySet<string> = new Set(["script-src", "style-src"])

const always = ["base-uri 'none'", "frame-ancestors 'none'"]

/**
 * Builds the Content-Security-Policy of a page (CSP Level 3): styles and fonts of the provider, images over https, and the styles and
 * scripts with the page's nonce. Of the built-in pages, only the one of form_post has a script. `form-action` is omitted, because browsers
 * also apply it to the redirect back to the client. `more` has the sources that the pages port adds.
 */
export const pagePolicy = (nonce: string, more: PagePolicy = {}): string => {
  const stated = names.flatMap((name) => {
    const sources = [...directives[name], ...(withNonce.has(name) ? [`'nonce-${nonce}'`] : []), ...(more[name] ?? [])]
    return sources.length === 0 ? [] : [`${name} ${sources.join(" ")}`]
  })
  return ["default-src 'none'", ...stated, ...always].join("; ")
}

/** Adds the origins of a page's frames to its policy, each once (CSP Level 3 §6.1.5). */
export const framingPolicy = (page: Page, policy: PagePolicy = {}): PagePolicy => {
  if (page._tag !== "SigningOut") return policy
  const origins = page.frames.map((each) => new URL(each).origin)
  return { ...policy, "frame-src": [...new Set([...(policy["frame-src"] ?? []), ...origins])] }
}

/** Returns the headers of every page: its type, its policy, and that no other page may frame it (RFC 9700 §4.16). */
export const pageHeaders = (nonce: string, more?: PagePolicy): ReadonlyArray<readonly [string, string]> => [
  ["content-type", "text/html; charset=utf-8"],
  ["content-security-policy", pagePolicy(nonce, more)],
  ["x-frame-options", "DENY"],
]

/** A host over TLS, or a local one; a wildcard matches only subdomains. */
const host =
  /^(?:(?:https|wss):\/\/(?:\*\.)?[a-z0-9-]+(?:\.[a-z0-9-]+)*|(?:http|ws):\/\/(?:localhost|127\.0\.0\.1))(?::\d{1,5})?(?:\/[\w\-.~/%@:+]*)?$/i

/** Keywords and schemes that a directive may have, in addition to hosts. */
const special: Readonly<Record<keyof PagePolicy, RegExp>> = {
  "script-src": /^(?:'self'|'strict-dynamic'|'wasm-unsafe-eval'|'sha(?:256|384|512)-[A-Za-z0-9+/_-]{43,86}={0,2}')$/,
  "style-src": /^(?:'self'|'sha(?:256|384|512)-[A-Za-z0-9+/_-]{43,86}={0,2}')$/,
  "img-src": /^(?:'self'|blob:)$/,
  "font-src": /^(?:'self'|data:)$/,
  "connect-src": /^'self'$/,
  "frame-src": /^'self'$/,
  "media-src": /^(?:'self'|blob:|data:)$/,
  "worker-src": /^(?:'self'|blob:)$/,
}

const isDirective = (name: string): name is keyof PagePolicy => Object.hasOwn(directives, name)

/** Returns every fault of the policies of a pages port, as text. An unsafe source would defeat the purpose of the policy. */
export const policyFaults = (policies: unknown): ReadonlyArray<string> => {
  if (policies === undefined) return []
  if (typeof policies !== "object" || policies === null || Array.isArray(policies)) return ["pages.policies: must be an object, by page"]
  return Object.entries(policies).flatMap(([page, policy]: [string, unknown]) => {
    if (typeof policy !== "object" || policy === null || Array.isArray(policy))
      return [`pages.policies.${page}: must be an object of directives and their sources`]
    return Object.entries(policy).flatMap(([directive, sources]: [string, unknown]) => {
      const place = `pages.policies.${page}.${directive}`
      if (!isDirective(directive)) return [`${place}: is no directive that takes more sources; use ${names.join(", ")}`]
      if (sources === undefined) return []
      if (!Array.isArray(sources)) return [`${place}: must be a list of sources`]
      return sources.flatMap((source: unknown) =>
        typeof source === "string" && (special[directive].test(source) || host.test(source))
          ? []
          : [
              `${place}: ${JSON.stringify(source)} is no source that a page may add: name a host over https, or 'self' (CSP Level 3 §2.3.1)`,
            ],
      )
    })
  })
}
