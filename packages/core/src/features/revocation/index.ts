import type { Client, Command, Confirmation, Decision } from "../../model/index.ts"
import { isProved, isPublic, readHandle, refuse, revokeAccessToken, revokeGrant } from "../../model/index.ts"
import type { FoundRefreshToken } from "../../ports/index.ts"
import { mapped, together } from "../../ports/steps.ts"
import { type Objection, pass, prove, table } from "../../rules/rule.ts"
import { type FoundAccess, loadAccessToken } from "../../settle/accessToken.ts"
import { authenticated } from "../../settle/client.ts"
import { proofsOf } from "../../settle/confirmation.ts"
import { endpoint } from "../../settle/endpoint.ts"
import { form } from "../../settle/programs.ts"
import { findBy } from "../../settle/request.ts"
import { Decided } from "../../settle/stage.ts"

interface Found {
  readonly client: Client
  readonly token: string | undefined
  readonly access: FoundAccess | undefined
  readonly refresh: FoundRefreshToken | undefined
  /** The keys and certificates that the request has proved. */
  readonly proved: ReadonlyArray<Confirmation>
}

/**
 * The proof that a request must have. A confidential client proves itself by its authentication. For a public client the token states the
 * key or certificate that it is bound to (RFC 9449 §5, RFC 8705 §4).
 */
const owedBy = ({ client, access, refresh }: Omit<Found, "proved">): Confirmation | undefined =>
  isPublic(client) ? (access?.confirmation ?? refresh?.token.confirmation) : undefined

/** Judges whether the token can be revoked at this endpoint (specification §2.4). */
const request = table<Found>("revocation")
  .present("revocation.token-present", "RFC 7009 §2.1", "token", () => refuse("invalid_request", "The token is missing."))
  .rule("revocation.type-supported", "RFC 7009 §2.2.1, specification §2.4", (s) =>
    s.access?.format === "jwt"
      ? refuse(
          "unsupported_token_type",
          "A JWT access token cannot be revoked.",
          "a JWT access token; only reference and refresh tokens can be revoked",
        )
      : pass,
  )
  .rule("revocation.confirmation", "RFC 9449 §5, RFC 8705 §4", (s) =>
    isProved(owedBy(s), s.proved)
      ? pass
      : refuse("invalid_request", "The token is bound to a key or a certificate.", "the request proves none, or another"),
  )

/** A token of the client, and the command that revokes it: a reference token alone, or a refresh token with its grant (RFC 7009 §2.1). */
interface Revocable {
  readonly clientId: string
  readonly revoke: (at: number) => Command
}

const revocableOf = ({ access, refresh }: Found): Revocable | undefined => {
  if (access !== undefined) return { clientId: access.clientId, revoke: (at) => revokeAccessToken(access.id, at) }
  return refresh && { clientId: refresh.token.clientId, revoke: (at) => revokeGrant(refresh.grant.id, at) }
}

/** Judges whether there is anything to revoke. If not, the response is the same 200 (RFC 7009 §2.2). */
const effect = table<Found, Objection>("revocation/effect")
  .establish("revocation.token-known", "RFC 7009 §2.2", (s) => {
    const revocable = revocableOf(s)
    return revocable === undefined ? { reason: "no such token; nothing to do" } : prove({ revocable })
  })
  .rule("revocation.token-own", "RFC 7009 §2.1", (s) =>
    s.revocable.clientId === s.client.clientId ? pass : { reason: "the token of another client; it stays alive" },
  )

const acknowledge = (...commands: ReadonlyArray<Command>): Decision => ({ _tag: "Acknowledge", commands })

const unproved: Pick<Found, "proved"> = { proved: [] }

/** The revocation endpoint: RFC 7009, specification §2.4. */
export const revocation = endpoint(
  { name: "revocation", path: "/connect/revocation", methods: ["POST"], audience: "programs", cors: true },
  form("revocation")
    .through(authenticated)
    .read(({ params }, inquiry) => {
      const token = params.one("token")
      const { tokens } = inquiry.ports
      return together({
        token,
        access: loadAccessToken(token, inquiry),
        refresh: findBy(inquiry.ports, readHandle("r", token), tokens.findRefreshToken, (found) => found.token.digest),
      })
    })
    .read((seen, inquiry) => {
      // A proof is stored as a row (RFC 9449 §11.1), and anybody may send one with an invalid token, so the proof is used only if it is
      // required.
      if (owedBy(seen) === undefined) return unproved
      return mapped(proofsOf({ message: seen.message, client: seen.client, accessToken: undefined }, inquiry), (proofs) =>
        proofs instanceof Decided ? proofs : { proved: [...proofs.values()] },
      )
    })
    .judge(request)
    .judge(effect, () => acknowledge())
    .decide(({ revocable }, { now }) => acknowledge(revocable.revoke(now))),
)
