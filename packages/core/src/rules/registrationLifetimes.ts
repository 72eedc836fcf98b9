import type { LifetimesMetadata } from "../model/index.ts"
import { type Fault, fault } from "./registrationFault.ts"
import { pass } from "./rule.ts"

/** Returns the fault of lifetimes whose refresh tokens would slide past their absolute end. Zero is without end. */
export const slidesBeyondEnd = ({
  refresh_token_sliding_lifetime: sliding = 0,
  refresh_token_absolute_lifetime: absolute = 0,
}: LifetimesMetadata): Fault | undefined =>
  absolute > 0 && sliding > absolute
    ? fault(
        ["refresh_token_sliding_lifetime"],
        "is longer than refresh_token_absolute_lifetime",
        "the absolute lifetime ends every refresh token: make it the longer one, or 0 for unlimited",
      )
    : pass
