import { type Client, type Confirmation, type Decision, type Person, type Refusal, refuse } from "../model/index.ts"
import { mapped, onward, together } from "../ports/steps.ts"
import { pass, prove, table } from "../rules/rule.ts"
import { type SentToken, bearer, invalidToken, sentToken, sentTokenRules } from "../rules/sentToken.ts"
import { type FoundAccess, loadAccessToken } from "./accessToken.ts"
import { proofsOf } from "./confirmation.ts"
import type { Asked } from "./endpoint.ts"
import { Decided, type Stage } from "./inquiry.ts"
import { refuseJson } from "./programs.ts"
import { row } from "./stage.ts"

interface Seen extends SentToken {
  readonly now: number
  readonly found: FoundAccess | undefined
  readonly client: Client | undefined
  /** The keys and certificates that the request has proved. */
  readonly proved: ReadonlyArray<Confirmation>
}

/** Rules about the access token of a request to a resource (RFC 6750, RFC 9449 §7, RFC 8705 §3). */
const rulesOf = (name: string) => {
  const shared = sentTokenRules(name)
  return table<Seen>(name)
    .include(shared.headerForm)
    .include(shared.once)
    .include(shared.notInUrl)
    .include(shared.present)
    .present(`${name}.token-known`, "RFC 6750 §3.1", "found", () => invalidToken("not an access token of this provider"))
    .include(shared.fresh)
    .rule(`${name}.token-live`, "RFC 6750 §3.1", (s) =>
      s.found.revoked ? refuse("invalid_token", "The access token has been revoked.", "the token or its grant was revoked") : pass,
    )
    .include(shared.bound)
    .include(shared.scheme)
    .establish(`${name}.client-enabled`, "RFC 6750 §3.1", ({ client }) =>
      client === undefined || client.disabled ? invalidToken("the token's client is gone or disabled") : prove({ client }),
    )
}

/** Refuses an access token with a challenge (RFC 6750 §3), which has no error code if no token was sent. */
export const refuseToken = (
  refusal: Refusal,
  { tokens, unreadable, scheme, challenge }: Pick<SentToken, "tokens" | "unreadable" | "scheme" | "challenge">,
): Decision => ({
  _tag: "RefuseBearer",
  refusal,
  bare: tokens.length === 0 && !unreadable,
  scheme,
  ...(challenge === undefined ? {} : { challenge }),
})

/**
 * A validated token that was presented to a resource: it is live, its client is enabled, and possession of its key or certificate was
 * proved.
 */
export interface PresentedToken extends SentToken {
  readonly found: FoundAccess
  readonly client: Client
  /** The token's person, who may be disabled; undefined for a token that a client obtained for itself. */
  readonly person: Person | undefined
}

/** Validates the access token of a request. The row of every resource begins with this stage. `name` is the prefix of its rule ids. */
export const presentedToken = (name: string): Stage<Asked, PresentedToken> =>
  row<Asked>(refuseJson)
    .read(({ message }, { parts }) => sentToken(message, parts.confirmations))
    .read(({ tokens, inQuery, unreadable }, inquiry) => {
      const { ports, now } = inquiry
      const value = inQuery || unreadable || tokens.length !== 1 ? undefined : tokens[0]
      return onward(loadAccessToken(value, inquiry), (found) =>
        together({
          now,
          found,
          // The stored copy is used, so that no presented token waits for a host that its client names.
          client: found && ports.knownClients.find(found.clientId),
          person: found?.subject === undefined ? undefined : ports.authenticator.find(found.subject),
        }),
      )
    })
    .read(({ client, person }) => ({ about: { clientId: client?.clientId, subject: person?.subject } }))
    .read((seen, inquiry) => {
      const { message, client, found, tokens, scheme } = seen
      if (client === undefined || (found?.confirmation === undefined && scheme === bearer)) return unproved
      return mapped(proofsOf({ message, client, accessToken: tokens[0] }, inquiry), (proofs) => {
        if (!(proofs instanceof Decided)) return { proved: [...proofs.values()] }
        const { decision } = proofs
        return decision._tag === "RefuseJson" ? new Decided(refuseToken(decision.refusal, seen)) : proofs
      })
    })
    .judge(rulesOf(name), refuseToken)

const unproved: { readonly proved: ReadonlyArray<Confirmation> } = { proved: [] }
