import type { Feature } from "../feature.ts"
import { password } from "./index.ts"

/** The password grant: RFC 6749 §4.3. */
export const feature: Feature = {
  name: "password",
  grants: [password],
  signInRules: [
    "password.account-attempts",
    "password.address-attempts",
    "password.throttled",
    "password.verified",
    "password.person-active",
  ],
}
