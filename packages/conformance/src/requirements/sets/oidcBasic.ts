import { frozen } from "./frozen.ts"
import { oidcSignIn } from "./oidcSignIn.ts"

/** OpenID Connect with the code flow. */
export const oidcBasic = frozen(
  "oidc-basic",
  "OpenID Connect with the code flow",
  `
    client.basic client.post client.wrong-secret client.empty-secret client.no-secret client.nobody client.unknown client.challenge
    client.two-methods client.secret-in-url client.basic-broken client.basic-encoded refresh.answer refresh.unknown refresh.missing
    refresh.own-client refresh.foreign-use-harmless refresh.scope-wider refresh.scope-narrower refresh.scope-stays refresh.rotated-public
    refresh.replay-revokes refresh.race refresh.id-token refresh.code-replay-revokes refresh.access-token-no-refresh-token
    refresh.not-without-asking refresh.expires
  `,
  oidcSignIn,
)
