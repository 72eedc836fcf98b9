import type { Feature } from "../feature.ts"
import { login } from "./index.ts"

/** The sign-in page. */
export const feature: Feature = {
  name: "login",
  endpoints: () => [login],
  signInRules: [
    "login.device-attempts",
    "login.account-attempts",
    "login.address-attempts",
    "login.throttled",
    "login.verified",
    "login.person-active",
  ],
}
