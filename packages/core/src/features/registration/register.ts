import * as Effect from "effect/Effect"
import type { JsonObject, Locator } from "../../model/index.ts"
import type { PortFailed } from "../../ports/index.ts"
import { mapped, onward, together } from "../../ports/steps.ts"
import { type Asked, type Endpoint, endpoint } from "../../settle/endpoint.ts"
import { refuseJson } from "../../settle/programs.ts"
import { addressLimited } from "../../settle/rate.ts"
import { type Inquiry, digestOf, freshHandle } from "../../settle/request.ts"
import { row, where } from "../../settle/stage.ts"
import { encodeBase64Url } from "../../wire/index.ts"
import type { Composition } from "../feature.ts"
import { clientInformation, hasSecret, refuseAccess, registrationPath, replyClient } from "./answer.ts"
import { membersIn, readBody, readStatement, readToken } from "./body.ts"
import { idPrefix, isKept, secretText } from "./clients.ts"
import { type Judged, metadataJudged } from "./judged.ts"
import type { RegistrationSettings } from "./options.ts"
import type { RegistrationPolicy } from "./policy.ts"
import {
  type InitialAccessTokenRow,
  type RegisteredClientRow,
  askForClientAgain,
  cleanClient,
  evictClient,
  initialAccessTokens,
  registerClient,
  registeredClients,
  useInitialAccessToken,
} from "./rows.ts"
import { accessRules, bodyRules, statementRules } from "./rules.ts"

/** The registration endpoint: RFC 7591 §3, OpenID Connect Dynamic Client Registration §3. */
export const registering = (provider: Composition, settings: RegistrationSettings): Endpoint =>
  endpoint(
    { name: "registration", path: registrationPath, methods: ["POST"], audience: "programs", cors: true, challenges: "Bearer" },
    row<Asked>(refuseJson)
      .read(({ message }, { ports, now }) => {
        const find = (locator: Locator) => ports.tokens.find(initialAccessTokens, { locator })
        return together({ ...readToken(message, ports, "n", find, ({ digest }) => digest), settings, now })
      })
      .judge(accessRules, refuseAccess)
      .read(({ message }) => readBody(message))
      .judge(bodyRules)
      .read(({ statement }, inquiry) => readStatement(statement, settings, inquiry))
      .judge(statementRules)
      .read(({ claims, found }, inquiry) =>
        mapped(freshHandle(inquiry, "g"), (handle) => ({
          handle,
          clientId: idPrefix + handle.locator,
          stated: membersIn(claims),
          // The operator's command made the policy, with this type.
          policy: (found?.policy as RegistrationPolicy | undefined) ?? settings.policy,
        })),
      )
      .through(metadataJudged(provider))
      .read((s, inquiry) => placed(s, settings, inquiry))
      .through(where(({ found, same }) => found === undefined && same === undefined, addressLimited("register", "registrationAddress")))
      .decide((s, inquiry) => {
        const { now, ports } = inquiry
        const { found, same, place, handle } = s
        if (same !== undefined)
          return replyClient(clientInformation(same, {}, ports.settings), true, [
            askForClientAgain(same.clientId, now + settings.unusedLifetime),
          ])
        const secret = hasSecret(s.client, provider) ? encodeBase64Url(ports.entropy.bytes(32)) : undefined
        return mapped(secret === undefined ? none : digestOf(ports, secretText(s.clientId, secret)), (digest) => {
          const isShared = place.fingerprint !== undefined
          const made: RegisteredClientRow = {
            clientId: s.clientId,
            metadata: s.metadata,
            // Options and policies are JSON.
            policy: s.policy as unknown as JsonObject,
            stated: s.stated,
            statement: s.statement,
            digest,
            accessDigest: isShared ? undefined : handle.digest,
            token: found?.locator,
            fingerprint: place.fingerprint,
            slot: place.slot,
            createdAt: now,
            updatedAt: now,
            consentsSince: 0,
            version: 0,
            keepUntil: found === undefined ? now + settings.unusedLifetime : 0,
          }
          const shown = { secret, accessToken: isShared ? undefined : handle.value }
          return replyClient(clientInformation(made, shown, ports.settings), true, [
            ...(found === undefined ? [] : [useInitialAccessToken(found)]),
            ...place.leaving.map((gone) =>
              gone.slot === undefined || !isKept(gone, now) ? cleanClient(gone.clientId, now) : evictClient(gone.clientId, gone.slot),
            ),
            registerClient(made),
          ])
        })
      }),
  )

const none: Effect.Effect<string | undefined> = Effect.succeed(undefined)

/** The slot of a client among those without a grant, and the clients that are removed for it. */
interface Place {
  readonly fingerprint: string | undefined
  readonly slot: string | undefined
  readonly leaving: ReadonlyArray<RegisteredClientRow>
}

interface Placing extends Judged {
  readonly found: InitialAccessTokenRow | undefined
  readonly statement: string | undefined
}

const nowhere: Place = { fingerprint: undefined, slot: undefined, leaving: [] }

/** Finds a slot for a client, or the existing client if public clients with equal metadata share one. */
const placed = (
  { client, metadata, found, statement }: Placing,
  settings: RegistrationSettings,
  inquiry: Inquiry,
): Effect.Effect<{ readonly same: RegisteredClientRow | undefined; readonly place: Place }, PortFailed> => {
  const { ports, now } = inquiry
  if (found !== undefined) return Effect.succeed({ same: undefined, place: nowhere })
  const isShared = client.token_endpoint_auth_method === "none" && statement === undefined
  const { client_id: _own, ...rest } = metadata
  const fingerprint = isShared ? digestOf(ports, `postern registered metadata\n${canonical(rest)}`) : none
  return onward(fingerprint, (print) =>
    onward(
      together({
        equal: print === undefined ? undefined : ports.tokens.find(registeredClients, { fingerprint: print }),
        slot: freeSlot(settings.mostUnused, inquiry),
      }),
      ({ equal, slot: { slot, taken } }) => {
        const same = equal !== undefined && isKept(equal, now) ? equal : undefined
        const stale = same === undefined ? equal : undefined
        const leaving = [stale, taken?.clientId === stale?.clientId ? undefined : taken].filter((each) => each !== undefined)
        return Effect.succeed({ same, place: { fingerprint: print, slot, leaving } })
      },
    ),
  )
}

/** The number of slots that are examined for each client. */
const looks = 8

/**
 * Chooses one of the slots for clients without a grant. Of some slots drawn at random it takes a free one, or otherwise the one whose
 * client would expire first. The number of rows is thus bounded without a counter that registrations would wait for, and near the bound the
 * oldest clients are removed.
 */
const freeSlot = (places: number, { ports }: Inquiry) => {
  const drawn = Array.from({ length: looks }, () => {
    const bytes = ports.entropy.bytes(4)
    return String(new DataView(bytes.buffer, bytes.byteOffset).getUint32(0) % places)
  })
  const slots = [...new Set(drawn)]
  return mapped(together(Object.fromEntries(slots.map((slot) => [slot, ports.tokens.find(registeredClients, { slot })]))), (rows) => {
    const free = slots.find((slot) => rows[slot] === undefined)
    if (free !== undefined) return { slot: free, taken: undefined }
    const [taken] = slots.flatMap((slot) => rows[slot] ?? []).toSorted((left, right) => left.keepUntil - right.keepUntil)
    return { slot: taken?.slot, taken }
  })
}

/** Serializes JSON in a canonical form that does not depend on the order of members. */
export const canonical = (value: unknown): string => {
  if (typeof value !== "object" || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`
  const members = Object.entries(value).toSorted(([left], [right]) => (left < right ? -1 : 1))
  return `{${members.map(([name, each]) => `${JSON.stringify(name)}:${canonical(each)}`).join(",")}}`
}
