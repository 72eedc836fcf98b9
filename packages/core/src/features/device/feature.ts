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
    ReplaceDevice: (command) => {
      const row = rowPut(devices, command)
      if (row?.state === "approved") return ["device_approved", { clientId: row.clientId, grantId: row.grantId }]
      return row?.state === "denied" ? ["device_denied", { clientId: row.clientId }] : undefined
    },
  },
  discovery: ({ url }) => ({ device_authorization_endpoint: url(deviceAuthorization.path) }),
}
