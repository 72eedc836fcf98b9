import * as Effect from "effect/Effect"
import { mapped } from "../ports/steps.ts"
import { isIdTokenJti } from "../rules/tokens.ts"
import type { Inquiry } from "./request.ts"

/**
 * Returns the claims of an ID token that this provider signed, even if it is expired; undefined for anything else. An access token may have
 * the same `typ`, but its `jti` differs (RFC 8725 §3.12).
 */
export const loadIdToken = (value: string | undefined, { ports }: Inquiry) =>
  value === undefined
    ? Effect.succeed(undefined)
    : mapped(ports.signer.verify(value, "JWT"), (claims) => {
        const jti = claims?.["jti"]
        return claims?.["iss"] === ports.settings.issuer && typeof jti === "string" && isIdTokenJti(jti) ? claims : undefined
      })
