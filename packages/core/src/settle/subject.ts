import * as Effect from "effect/Effect"
import type { Client, Locator, Settings } from "../model/index.ts"
import type { PortFailed, Ports } from "../ports/index.ts"
import { sectorOf } from "../rules/sector.ts"
import { digestOf } from "./request.ts"

/** The ports that names of people and sessions are made with. */
interface Asking {
  readonly ports: Pick<Ports, "digest"> & { readonly settings: Pick<Settings, "pairwiseSalt"> }
}

const saltFor = ({ clientId }: Client, { ports }: Asking): Effect.Effect<string> => {
  const salt = ports.settings.pairwiseSalt?.reveal()
  // Registration refuses a pairwise client where there is no salt; one that comes from elsewhere must not be given a guessable subject.
  return salt === undefined
    ? Effect.die(new Error(`client ${clientId} is pairwise, and the provider has no pairwiseSalt`))
    : Effect.succeed(salt)
}

/** The `sub` a client knows a person by: their subject, or for a pairwise client one that only its sector sees (OpenID Connect Core §8.1). */
export const subjectFor = (client: Client, subject: string, asking: Asking): Effect.Effect<string, PortFailed> =>
  client.subjectType === "public"
    ? Effect.succeed(subject)
    : Effect.flatMap(saltFor(client, asking), (salt) => digestOf(asking.ports, JSON.stringify([sectorOf(client), subject, salt])))

/**
 * The `sid` a client knows a session by: its locator, or for a pairwise client one that only its sector sees, or two sectors could tell by
 * it that their subjects are one person (OpenID Connect Core §8.1, RP-Initiated Logout §2).
 */
export const sidFor = (client: Client, session: Locator | undefined, asking: Asking): Effect.Effect<string | undefined, PortFailed> =>
  session === undefined || client.subjectType === "public"
    ? Effect.succeed(session)
    : Effect.flatMap(saltFor(client, asking), (salt) => digestOf(asking.ports, JSON.stringify(["sid", sectorOf(client), session, salt])))
