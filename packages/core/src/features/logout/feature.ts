import { clientField, values } from "../../model/index.ts"
import type { Feature } from "../feature.ts"
import { logout } from "./index.ts"

/** The sign-out page. */
export const feature: Feature = {
  name: "logout",
  endpoints: () => [logout],
  clientMetadata: [
    clientField(
      "revoke_on_logout",
      values.oneOf(["none", "online", "all"]),
      "The grants that end when the user signs out: none, online (those without offline_access) or all of the session. Default: online.",
    ),
  ],
}
