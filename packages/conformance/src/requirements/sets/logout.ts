import { frozen } from "./frozen.ts"

/** Sign-out started by a client. */
export const logout = frozen(
  "logout",
  "Sign-out that a client begins",
  `
    logout.redirect logout.session-over logout.no-state logout.unregistered logout.query-added logout.no-hint logout.hint-unsigned
    logout.no-parameters logout.state-alone logout.post
  `,
)
