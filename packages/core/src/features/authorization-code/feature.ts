import { SecondsWithin, clientField } from "../../model/index.ts"
import type { Feature } from "../feature.ts"
import { authorizationCode } from "./index.ts"

/** The authorization code grant: RFC 6749 §4.1. */
export const feature: Feature = {
  name: "authorization-code",
  grants: [authorizationCode],
  lifetimes: [clientField("authorization_code_lifetime", SecondsWithin(1, 600), "Life of an authorization code, in seconds. Default: 60.")],
}
