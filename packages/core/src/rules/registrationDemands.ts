import { type Members, certificateBound, keyBound } from "../model/index.ts"
import { type Fault, type Registration, fault } from "./registrationFault.ts"
import { fetchable } from "./registrationPublished.ts"
import { type Rule, pass, rule, table } from "./rule.ts"

type Demand = Rule<Registration, Registration, Fault>

/** Refuses a requested protection that the provider does not have, so that the client is not registered as if it had it. */
const unprotected = (id: string, cites: string, [, name]: typeof keyBound | typeof certificateBound, what: string): Demand =>
  rule(id, cites, ({ client, provider: { clientMetadata } }) =>
    client[name] === true && clientMetadata?.has(name) !== true
      ? fault(
          [name],
          `asks for ${what}, which this provider does not do`,
          "remove it, or set it to false: the client would rely on it in vain",
        )
      : pass,
  )

/** Returns the metadata field with which a client requires a confirmation method: the one without which it would not. */
const requiring = ({ members }: Members, isRequired: (client: Members) => boolean): string | undefined =>
  Object.keys(members).find(
    (name) => !isRequired({ members: Object.fromEntries(Object.entries(members).filter(([each]) => each !== name)) }),
  )

/**
 * Refuses stored metadata that would mislead: protection that is not provided, an expiry that no secret has, a credential in plain text, a
 * page that is not https.
 */
export const demandRules = table<Registration, Fault>("registration/demands")
  .include(unprotected("registration.certificate-bound", "RFC 8705 §3.4", certificateBound, "access tokens bound to a certificate"))
  .include(unprotected("registration.dpop-bound", "RFC 9449 §5.2", keyBound, "access tokens bound to a key"))
  .rule("registration.confirmation-one", "RFC 7800 §3.1", (s) => {
    const required = (s.provider.confirmations ?? []).filter(({ isRequired }) => isRequired(s))
    const [first, second = first] = required.map(({ isRequired }) => requiring(s, isRequired))
    return required.length <= 1
      ? pass
      : fault(
          second === undefined ? [] : [second],
          `binds tokens in another way than ${first ?? "the client's metadata"}, and a token has one confirmation`,
          "require one of them: the client would get no token at all",
        )
  })
  .rule("registration.secret-expiry", "RFC 7591 §3.2.1", ({ client: { client_secret_expires_at: end = 0 } }) =>
    end === 0
      ? pass
      : fault(
          ["client_secret_expires_at"],
          "is a moment, and secrets do not expire here",
          "set it to 0 or remove it, and replace the secret when its time has come",
        ),
  )
  .rule("registration.access-token", "RFC 7592 §3", ({ client: { registration_access_token: token } }) =>
    token === undefined
      ? pass
      : fault(
          ["registration_access_token"],
          "is a credential of another provider's registration endpoint",
          "remove it: metadata is kept in the clear",
        ),
  )
  .include(fetchable("registration.initiate-login-uri", "OpenID Connect Dynamic Client Registration §2", "initiate_login_uri"))
