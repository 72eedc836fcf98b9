import { SecondsWithin, clientField } from "../../model/index.ts"
import type { Feature } from "../feature.ts"
import { refreshToken } from "./index.ts"

/** The refresh token grant: RFC 6749 §6. */
export const feature: Feature = {
  name: "refresh-token",
  grants: [refreshToken],
  registration: "refresh-token",
  lifetimes: [
    clientField(
      "refresh_token_absolute_lifetime",
      SecondsWithin(0),
      "Longest life of a chain of refresh tokens, in seconds; 0 is without end. Default: 2592000.",
    ),
    clientField(
      "refresh_token_sliding_lifetime",
      SecondsWithin(1),
      "Life of a refresh token since its last use, in seconds; one that is not rotated may last a 64th longer. Default: 1296000.",
    ),
    clientField(
      "refresh_token_grace",
      SecondsWithin(0, 3600),
      "Seconds during which a rotated refresh token still returns its successor. Default: 30.",
    ),
  ],
}
