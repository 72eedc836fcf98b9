import { ownForm } from "../../settle/ownForm.ts"
import type { Feature } from "../feature.ts"
import { deviceAuthorization, deviceAuthorizationTables } from "./authorization.ts"
import { deviceCode } from "./grant.ts"
import { devicePage } from "./page.ts"
import { deviceQr, deviceQrTables } from "./qr.ts"
import { devicePageTables } from "./rules.ts"

/** The device authorization grant: RFC 8628. */
export const feature: Feature = {
  name: "device",
  endpoints: () => [deviceAuthorization, ownForm(devicePage), deviceQr],
  grants: [deviceCode],
  tables: [...deviceAuthorizationTables, ...devicePageTables, ...deviceQrTables],
  discovery: ({ url }) => ({ device_authorization_endpoint: url(deviceAuthorization.path) }),
}
