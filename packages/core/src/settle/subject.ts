import * as Effect from "effect/Effect"
import type { Client } from "../model/index.ts"
import type { PortFailed } from "../ports/index.ts"
import { sectorOf } from "../rules/sector.ts"
import { type Inquiry, digestOf } from "./request.ts"

/** The `sub` a client knows a person by: their subject, or for a pairwise client one that only its sector sees (OpenID Connect Core §8.1). */
export const subjectFor = (client: Client, subject: string, { ports }: Pick<Inquiry, "ports">): Effect.Effect<string, PortFailed> => {
  if (client.subjectType === "public") return Effect.succeed(subject)
  const salt = ports.settings.pairwiseSalt?.reveal()
  // Registration refuses a pairwise client where there is no salt; one that comes from elsewhere must not be given a guessable subject.
  if (salt === undefined) return Effect.die(new Error(`client ${client.clientId} is pairwise, and the provider has no pairwiseSalt`))
  return digestOf(ports, JSON.stringify([sectorOf(client), subject, salt]))
}
