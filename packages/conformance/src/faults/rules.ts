import type { Fault } from "./fault.ts"

/** A fault that leaves rules out. */
const without = (id: string, title: string, paragraph: string, near: ReadonlyArray<string>, ...rules: ReadonlyArray<string>): Fault => ({
  id,
  title,
  paragraph,
  near,
  alteration: { options: (options) => ({ ...options, rulesOff: [...(options.rulesOff ?? []), ...rules] }) },
})

/** Rules that are switched off. */
export const ruleFaults: ReadonlyArray<Fault> = [
  without("code.any-verifier", "redeems a code with any verifier", "RFC 7636 §4.6", ["code"], "code.pkce-proof"),
  without("code.any-client", "redeems a code for any client", "RFC 6749 §4.1.3", ["code"], "code.client"),
  without("code.any-redirect-uri", "redeems a code with any redirect_uri", "RFC 6749 §4.1.3", ["code"], "code.redirect-uri"),
  without("code.lives-on", "redeems a code that has expired", "RFC 6749 §4.1.2", ["code"], "code.fresh"),
]
