import { frozen } from "./frozen.ts"
import { logout } from "./logout.ts"

/** Sign-out started by a client, with notification of all clients by logout tokens and by frames. */
export const oidcLogout = frozen(
  "oidc-logout-2026-11",
  "Sign-out that a client begins, and both channels by which the others are told",
  `
    backchannel.told backchannel.each backchannel.issuer backchannel.whose backchannel.event backchannel.no-nonce backchannel.jti
    backchannel.signed backchannel.typ frontchannel.framed frontchannel.parameters frontchannel.issuer frontchannel.nothing-else
    frontchannel.allowed frontchannel.onward
  `,
  logout,
)
