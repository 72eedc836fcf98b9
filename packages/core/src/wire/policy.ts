/**
 * The Content-Security-Policy of a page (CSP Level 3): styles and fonts of the provider, pictures over https, and the styles and scripts that
 * carry the page's nonce. Of the built-in pages only the one of form_post has a script. `form-action` is left out: browsers apply it to the
 * redirect back to the client too.
 */
export const pagePolicy = (nonce: string): string =>
  [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' https: data:",
    "font-src 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join("; ")

/** The headers of every page: what it is, what it may load, and that no other page may show it in a frame (RFC 9700 §4.16). */
export const pageHeaders = (nonce: string): ReadonlyArray<readonly [string, string]> => [
  ["content-type", "text/html; charset=utf-8"],
  ["content-security-policy", pagePolicy(nonce)],
  ["x-frame-options", "DENY"],
]
