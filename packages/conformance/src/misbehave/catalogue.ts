import type { Misbehavior } from "./misbehavior.ts"
import { ofIdTokens } from "./ofIdTokens.ts"
import { ofMetadata } from "./ofMetadata.ts"
import { ofResponses } from "./ofResponses.ts"

/** Everything that the provider can do wrong, by areas: metadata and keys, ID tokens, responses. */
export const misbehaviors: ReadonlyArray<Misbehavior> = [...ofMetadata, ...ofIdTokens, ...ofResponses]

/** The misbehavior of an id. */
export const misbehaviorOf = (id: string): Misbehavior | undefined => misbehaviors.find((each) => each.id === id)
