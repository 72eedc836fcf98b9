import { type Client, type Command, type Decision, revokeAccessToken, revokeGrant } from "../../model/index.ts"
import { readHandle, refuse } from "../../model/index.ts"
import type { FoundRefreshToken } from "../../ports/index.ts"
import { steps } from "../../ports/steps.ts"
import { type FormRequest, formEncoded, parametersOnce } from "../../rules/form.ts"
import { type Objection, held, judge, pass, rule, table } from "../../rules/rule.ts"
import { type FoundAccess, loadAccessToken } from "../../settle/accessToken.ts"
import { authenticateClient } from "../../settle/client.ts"
import { findBy } from "../../settle/request.ts"
import { isForm, readParams } from "../../wire/index.ts"
import type { Endpoint } from "../../settle/endpoint.ts"

/** How a revocation request must look (RFC 7009 §2.1). */
const form = table<FormRequest, undefined>("revocation/form", [formEncoded("revocation"), parametersOnce("revocation")])

interface RevocationSeen {
  readonly client: Client
  readonly access: FoundAccess | undefined
  readonly refresh: FoundRefreshToken | undefined
}

/** What can be revoked here at all (specification §2.4). */
const request = table<{ readonly token: string | undefined }, RevocationSeen>("revocation", [
  rule("revocation.token-present", "RFC 7009 §2.1", (q) =>
    q.token === undefined ? refuse("invalid_request", "The token is missing.") : pass,
  ),
  rule("revocation.type-supported", "RFC 7009 §2.2.1, specification §2.4", (_, s) =>
    s.access?.format === "jwt"
      ? refuse(
          "unsupported_token_type",
          "A JWT access token cannot be revoked.",
          "a JWT access token; only reference and refresh tokens can be revoked",
        )
      : pass,
  ),
])

/** Judges whether there is anything to revoke; if not, the answer is the same 200 (RFC 7009 §2.2). */
const effect = table<unknown, RevocationSeen, Objection>("revocation/effect", [
  rule("revocation.token-known", "RFC 7009 §2.2", (_, s) =>
    s.access === undefined && s.refresh === undefined ? { reason: "no such token; nothing to do" } : pass,
  ),
  rule("revocation.token-own", "RFC 7009 §2.1", (_, s) =>
    (s.access ?? held(s.refresh).token).clientId === s.client.clientId ? pass : { reason: "the token of another client; it stays alive" },
  ),
])

/** The tables of this endpoint, for the rule reference. */
export const revocationTables = [form, request, effect] as const

/** The revocation endpoint: RFC 7009, specification §2.4. */
export const revocation: Endpoint = {
  name: "revocation",
  path: "/connect/revocation",
  methods: ["POST"],
  audience: "programs",
  cors: true,
  attempt: steps(function* (message, inquiry) {
    const { ports, now, trace } = inquiry
    const sent = { params: readParams(message.body), isForm: isForm(message.headers["content-type"]) }
    const malformed = judge(trace, form, sent, undefined)
    if (malformed !== undefined) return { _tag: "RefuseJson", refusal: malformed } satisfies Decision as Decision
    const { client, refusal } = yield* authenticateClient(message, sent.params, inquiry)
    if (client === undefined) return { _tag: "RefuseJson", refusal } satisfies Decision as Decision
    const token = sent.params.one("token")
    const seen: RevocationSeen = {
      client,
      access: yield* loadAccessToken(token, inquiry),
      refresh: yield* findBy(ports, readHandle("r", token), ports.tokens.findRefreshToken, (found) => found.token.digest),
    }
    const unfit = judge(trace, request, { token }, seen)
    if (unfit !== undefined) return { _tag: "RefuseJson", refusal: unfit } satisfies Decision as Decision
    return {
      _tag: "Acknowledge",
      commands: judge(trace, effect, undefined, seen) === undefined ? revoke(seen, now) : [],
    } satisfies Decision as Decision
  }),
}

/** A reference access token dies alone; a refresh token takes its grant, and so every access token of it, along (RFC 7009 §2.1). */
const revoke = ({ access, refresh }: RevocationSeen, at: number): ReadonlyArray<Command> =>
  access === undefined ? [revokeGrant(held(refresh).grant.id, at)] : [revokeAccessToken(access.id, at)]
