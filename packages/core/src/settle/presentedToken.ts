import {
  type Client,
  type Confirmation,
  type Decision,
  type Person,
  type Refusal,
  refuse,
  sameConfirmation,
  tokenTypeOf,
} from "../model/index.ts"
import { mapped, onward, together } from "../ports/steps.ts"
import { pass, prove, table } from "../rules/rule.ts"
import { type Message, isForm, readParams } from "../wire/index.ts"
import { type FoundAccess, loadAccessToken } from "./accessToken.ts"
import { proofsOf } from "./confirmation.ts"
import type { Asked } from "./endpoint.ts"
import { Decided, type FeatureParts, type Stage } from "./inquiry.ts"
import { refuseJson } from "./programs.ts"
import { row } from "./stage.ts"

interface Sent {
  /** Every access token sent, whatever the way. */
  readonly tokens: ReadonlyArray<string>
  readonly inQuery: boolean
  /** True for an Authorization header that is no single token by a known scheme. */
  readonly unreadable: boolean
  /** The scheme of the Authorization header, `Bearer` without one. */
  readonly scheme: string
  /** The parameters of that scheme's challenges. */
  readonly challenge: string | undefined
}

interface Seen extends Sent {
  readonly now: number
  readonly found: FoundAccess | undefined
  readonly client: Client | undefined
  /** The keys and certificates that the request has proved. */
  readonly proved: ReadonlyArray<Confirmation>
}

const invalidToken = (reason: string): Refusal => refuse("invalid_token", "The access token is not valid.", reason)

/** Rules about the access token of a request to a resource (RFC 6750, RFC 9449 §7, RFC 8705 §3). */
const rulesOf = (name: string) =>
  table<Seen>(name)
    .rule(`${name}.header-form`, "RFC 6750 §2.1, §3.1", (s) =>
      s.unreadable
        ? refuse("invalid_request", "The Authorization header holds no bearer token.", "another scheme, or more than one token")
        : pass,
    )
    .rule(`${name}.token-once`, "RFC 6750 §2", (s) =>
      s.tokens.length > 1 ? refuse("invalid_request", "The access token is sent more than once.") : pass,
    )
    .rule(`${name}.token-not-in-url`, "RFC 9700 §4.3.2", (s) =>
      s.inQuery ? refuse("invalid_request", "The access token must not be sent in the URL.") : pass,
    )
    .rule(`${name}.token-present`, "RFC 6750 §3", (s) =>
      s.tokens.length === 0 ? refuse("invalid_token", "An access token is needed.", "no access token sent") : pass,
    )
    .present(`${name}.token-known`, "RFC 6750 §3.1", "found", () => invalidToken("not an access token of this provider"))
    .rule(`${name}.token-fresh`, "RFC 6750 §3.1", (s) =>
      s.now < s.found.expiresAt ? pass : refuse("invalid_token", "The access token has expired.", "expired"),
    )
    .rule(`${name}.token-live`, "RFC 6750 §3.1", (s) =>
      s.found.revoked ? refuse("invalid_token", "The access token has been revoked.", "the token or its grant was revoked") : pass,
    )
    .rule(`${name}.token-bearer`, "RFC 9449 §7.1, RFC 8705 §3", ({ found: { confirmation }, proved }) =>
      confirmation === undefined || proved.some((each) => sameConfirmation(each, confirmation))
        ? pass
        : invalidToken("the token is bound, and nothing was proved of what it is bound to"),
    )
    .rule(`${name}.token-scheme`, "RFC 9449 §7.2", ({ found: { confirmation }, scheme }) =>
      tokenTypeOf(confirmation) === scheme ? pass : invalidToken("the token is not presented by the scheme of its type"),
    )
    .establish(`${name}.client-enabled`, "RFC 6750 §3.1", ({ client }) =>
      client === undefined || client.disabled ? invalidToken("the token's client is gone or disabled") : prove({ client }),
    )

/** Refuses an access token with a challenge (RFC 6750 §3): bare where none was sent. */
export const refuseToken = (
  refusal: Refusal,
  { tokens, unreadable, scheme, challenge }: Pick<Sent, "tokens" | "unreadable" | "scheme" | "challenge">,
): Decision => ({
  _tag: "RefuseBearer",
  refusal,
  bare: tokens.length === 0 && !unreadable,
  scheme,
  ...(challenge === undefined ? {} : { challenge }),
})

/** A token that was presented to a resource and proved: it is live, of an enabled client, and what it is bound to was proved. */
export interface PresentedToken extends Sent {
  readonly found: FoundAccess
  readonly client: Client
  /** The token's person, who may be disabled; undefined for a token that a client got for itself. */
  readonly person: Person | undefined
}

/** Takes the access token of a request: the row of every resource begins with this stage. `name` begins the ids of its rules. */
export const presentedToken = (name: string): Stage<Asked, PresentedToken> =>
  row<Asked>(refuseJson)
    .read(({ message }, { parts }) => sentIn(message, parts))
    .read(({ tokens, inQuery, unreadable }, inquiry) => {
      const { ports, now } = inquiry
      const value = inQuery || unreadable || tokens.length !== 1 ? undefined : tokens[0]
      return onward(loadAccessToken(value, inquiry), (found) =>
        together({
          now,
          found,
          client: found && ports.clients.find(found.clientId),
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

const bearer = "Bearer"

/** Reads the tokens of a request; nothing is judged yet. */
const sentIn = (message: Message, { confirmations }: FeatureParts): Sent => {
  const inForm = message.method === "POST" && isForm(message.headers["content-type"]) ? readParams(message.body).all("access_token") : []
  const inQuery = readParams(message.query).all("access_token")
  const authorization = message.headers["authorization"]
  const [, named = "", token] = /^(\S+) +(\S+)\s*$/.exec(authorization ?? "") ?? []
  const lower = named.toLowerCase()
  const own = lower === "bearer" ? undefined : confirmations.find((each) => each.scheme?.toLowerCase() === lower)
  const scheme = lower === "bearer" ? bearer : own?.scheme
  const inHeader = token === undefined || scheme === undefined ? [] : [token]
  return {
    tokens: [...inHeader, ...inForm, ...inQuery],
    inQuery: inQuery.length > 0,
    unreadable: authorization !== undefined && inHeader.length === 0,
    scheme: scheme ?? bearer,
    challenge: own?.challenge,
  }
}
