import * as Effect from "effect/Effect"
import type { Client, Locator, Settings } from "../model/index.ts"
import type { PortFailed, Ports } from "../ports/index.ts"
import { sectorOf } from "../rules/sector.ts"
import { digestOf } from "./request.ts"

/** The ports for computing subjects and session ids. */
interface Asking {
  readonly ports: Pick<Ports, "digest"> & { readonly settings: Pick<Settings, "pairwiseSalt"> }
}

const saltFor = ({ clientId }: Client, { ports }: Asking): Effect.Effect<string> => {
  const salt = ports.settings.pairwiseSalt?.reveal()
  // Registration refuses a pairwise client if there is no salt; one from another source must not get a guessable subject.
  return salt === undefined
    ? Effect.die(new Error(`client ${clientId} is pairwise, and the provider has no pairwiseSalt`))
    : Effect.succeed(salt)
}

/**
 * Computes the `sub` of a person for a client: the subject, or for a pairwise client one that is specific to its sector (OpenID Connect
 * Core §8.1).
 */
export const subjectFor = (client: Client, subject: string, asking: Asking): Effect.Effect<string, PortFailed> =>
  client.subjectType === "public"
    ? Effect.succeed(subject)
    : Effect.flatMap(saltFor(client, asking), (salt) => digestOf(asking.ports, JSON.stringify([sectorOf(client), subject, salt])))

/**
 * Computes the `sid` of a session for a client: its locator, or for a pairwise client one that is specific to its sector. Otherwise, two
 * sectors could tell from it that their subjects are the same person (OpenID Connect Core §8.1, RP-Initiated Logout §2).
 */
export const sidFor = (client: Client, session: Locator | undefined, asking: Asking): Effect.Effect<string | undefined, PortFailed> =>
  session === undefined || client.subjectType === "public"
    ? Effect.succeed(session)
    : Effect.flatMap(saltFor(client, asking), (salt) => digestOf(asking.ports, JSON.stringify(["sid", sectorOf(client), session, salt])))
