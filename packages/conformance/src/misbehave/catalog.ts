import type { Misbehavior } from "./misbehavior.ts"
import { ofAsking } from "./ofAsking.ts"
import { ofDevices } from "./ofDevices.ts"
import { ofIdJags } from "./ofIdJags.ts"
import { ofIdTokens } from "./ofIdTokens.ts"
import { ofKeys } from "./ofKeys.ts"
import { ofLogout } from "./ofLogout.ts"
import { ofMetadata } from "./ofMetadata.ts"
import { ofNotices } from "./ofNotices.ts"
import { ofResources } from "./ofResources.ts"
import { ofResponseJwts } from "./ofResponseJwts.ts"
import { ofResponses } from "./ofResponses.ts"
import { ofTokens } from "./ofTokens.ts"
import { ofUserinfo } from "./ofUserinfo.ts"

/** Every misbehavior, in the order of a sign-in. */
export const misbehaviors: ReadonlyArray<Misbehavior> = [
  ...ofResources,
  ...ofMetadata,
  ...ofKeys,
  ...ofResponses,
  ...ofResponseJwts,
  ...ofTokens,
  ...ofIdTokens,
  ...ofUserinfo,
  ...ofDevices,
  ...ofAsking,
  ...ofNotices,
  ...ofIdJags,
  ...ofLogout,
]

/** The misbehavior with an id. */
export const misbehaviorOf = (id: string): Misbehavior | undefined => misbehaviors.find((each) => each.id === id)
