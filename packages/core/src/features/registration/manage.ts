import * as Effect from "effect/Effect"
import { type JsonObject, type Locator, type Refusal, refuse, sameDigest } from "../../model/index.ts"
import { mapped, together } from "../../ports/steps.ts"
import { pass, table } from "../../rules/rule.ts"
import { type Asked, type Endpoint, endpoint } from "../../settle/endpoint.ts"
import { refuseJson } from "../../settle/programs.ts"
import { digestOf } from "../../settle/request.ts"
import { row } from "../../settle/stage.ts"
import { encodeBase64Url, readParams } from "../../wire/index.ts"
import type { Composition } from "../feature.ts"
import { clientInformation, hasSecret, managementPath, refuseAccess, replyClient } from "./answer.ts"
import { readBody, readToken } from "./body.ts"
import { idPrefix, isKept, secretText } from "./clients.ts"
import { metadataJudged } from "./judged.ts"
import type { RegistrationPolicy } from "./policy.ts"
import { type RegisteredClientRow, changeClient, registeredClients, unregisterClient } from "./rows.ts"
import { type SentToken, bodyRules, tokenForm } from "./rules.ts"

interface Managed extends SentToken {
  /** The client that the URL names. */
  readonly named: string | undefined
  /** The client whose registration access token was sent. */
  readonly stored: RegisteredClientRow | undefined
  readonly now: number
}

const invalidToken = (reason: string): Refusal => refuse("invalid_token", "The registration access token is not valid.", reason)

/** Judges the registration access token, which is valid for one client while that client exists (RFC 7592 §2). */
const tokenRules = table<Managed>("manage-registration")
  .include(tokenForm("manage-registration"))
  .rule("manage-registration.token-present", "RFC 7592 §2", (s) =>
    s.token === undefined ? refuse("invalid_token", "The registration access token is needed.", "no token sent") : pass,
  )
  .present("manage-registration.token-known", "RFC 7592 §2", "stored", () => invalidToken("not the token of any client"))
  .rule("manage-registration.client-kept", "RFC 7592 §2", ({ stored, now }) =>
    isKept(stored, now) ? pass : invalidToken("the client was never used, and its time is over"),
  )
  .rule("manage-registration.own-client", "RFC 7592 §2", ({ stored, named }) =>
    stored.clientId === named ? pass : invalidToken("the token of another client than the URL names"),
  )

/** Members that an update must not contain (RFC 7592 §2.2). */
const notSent = ["registration_access_token", "registration_client_uri", "client_secret_expires_at", "client_id_issued_at"] as const

interface Change {
  readonly object: JsonObject
  readonly stored: RegisteredClientRow
  /** True if the body has no secret, or the client's own. */
  readonly secretMatches: boolean
}

const invalid = (description: string): Refusal => refuse("invalid_request", description)

/** Judges the members of an update that identify its client (RFC 7592 §2.2). */
const changeRules = table<Change>("manage-registration/change")
  .rule("manage-registration.client-id", "RFC 7592 §2.2", ({ object, stored }) =>
    object["client_id"] === stored.clientId ? pass : invalid("The client_id is missing, or another than that of the registration."),
  )
  .rule("manage-registration.read-only", "RFC 7592 §2.2", ({ object }) => {
    const name = notSent.find((each) => object[each] !== undefined)
    return name === undefined ? pass : invalid(`The member ${name} must not be sent.`)
  })
  .rule("manage-registration.secret", "RFC 7592 §2.2", ({ secretMatches }) =>
    secretMatches ? pass : invalid("The client_secret is not the one of the client: a client cannot choose its own."),
  )

/** The client configuration endpoint: RFC 7592 §2. */
export const managing = (provider: Composition): Endpoint =>
  endpoint(
    {
      name: "manage-registration",
      path: managementPath,
      methods: ["GET", "PUT", "DELETE"],
      audience: "programs",
      cors: true,
      challenges: "Bearer",
    },
    row<Asked>(refuseJson)
      .read(({ message }, { ports, now }) => {
        const find = (locator: Locator) => ports.tokens.find(registeredClients, { clientId: idPrefix + locator })
        const { found: stored, ...sent } = readToken(message, ports, "g", find, ({ accessDigest = "" }) => accessDigest)
        return together({ ...sent, stored, now, named: readParams(message.query).one("client_id") })
      })
      .judge(tokenRules, refuseAccess)
      .read(({ stored }) => ({ about: { clientId: stored.clientId } }))
      .split(
        {
          show: (asked) =>
            asked.decide(({ stored, token }, { ports }) =>
              replyClient(clientInformation(stored, { accessToken: token }, ports.settings), false, []),
            ),
          remove: (asked) =>
            asked.decide(({ stored }) => ({ _tag: "Acknowledge", empty: true, commands: [unregisterClient(stored.clientId)] })),
          change: (asked) =>
            asked
              .read(({ message }) => readBody(message))
              .judge(bodyRules)
              .read(({ object, stored }, { ports }) => {
                const secret = object["client_secret"]
                if (secret === undefined) return { secretMatches: true }
                if (typeof secret !== "string" || stored.digest === undefined) return { secretMatches: false }
                const kept = stored.digest
                return mapped(digestOf(ports, secretText(stored.clientId, secret)), (sent) => ({ secretMatches: sameDigest(sent, kept) }))
              })
              .judge(changeRules)
              .read(({ stored }) => ({
                clientId: stored.clientId,
                stated: stored.stated,
                // The limits under which it was registered, which are JSON of this type.
                policy: stored.policy as RegistrationPolicy,
              }))
              .through(metadataJudged(provider))
              .decide(({ stored, token, client, metadata }, { ports, now }) => {
                const needed = hasSecret(client, provider)
                const secret = needed && stored.digest === undefined ? encodeBase64Url(ports.entropy.bytes(32)) : undefined
                const digest =
                  secret === undefined
                    ? Effect.succeed(needed ? stored.digest : undefined)
                    : digestOf(ports, secretText(stored.clientId, secret))
                return mapped(digest, (made) => {
                  const changed: RegisteredClientRow = {
                    ...stored,
                    metadata,
                    digest: made,
                    updatedAt: now,
                    version: stored.version + 1,
                    consentsSince: sameList(stored.metadata["redirect_uris"], metadata["redirect_uris"]) ? stored.consentsSince : now,
                  }
                  return replyClient(clientInformation(changed, { secret, accessToken: token }, ports.settings), false, [
                    changeClient(changed, stored.version),
                  ])
                })
              }),
        },
        ({ message: { method } }) => (method === "PUT" ? "change" : method === "DELETE" ? "remove" : "show"),
      ),
  )

const sameList = (left: unknown, right: unknown): boolean => JSON.stringify(left) === JSON.stringify(right)
