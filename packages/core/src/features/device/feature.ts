import { devices, rowPut } from "../../model/index.ts"
import type { Feature } from "../feature.ts"
import { deviceAuthorization } from "./authorization.ts"
import { deviceCode } from "./grant.ts"
import { devicePage } from "./page.ts"
import { deviceQr } from "./qr.ts"

/** The device authorization grant: RFC 8628. */
export const feature: Feature = {
  name: "device",
  endpoints: () => [deviceAuthorization, devicePage, deviceQr],
  grants: [deviceCode],
  audit: {
    ApproveDevice: (command) => {
      const { clientId, grantId } = rowPut(devices, command) ?? {}
      return ["device_approved", { clientId, grantId }]
    },
    DenyDevice: (command) => ["device_denied", { clientId: rowPut(devices, command)?.clientId }],
  },
  discovery: ({ url }) => ({ device_authorization_endpoint: url(deviceAuthorization.path) }),
}
