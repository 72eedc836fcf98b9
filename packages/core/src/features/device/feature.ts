import { SecondsWithin, clientField, devices, rowPut } from "../../model/index.ts"
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
  lifetimes: [
    clientField("device_code_lifetime", SecondsWithin(30, 3600), "Lifetime of a device code, in seconds. Default: 300."),
    clientField("device_polling_interval", SecondsWithin(1, 60), "Minimum interval between two polls of a device, in seconds. Default: 5."),
  ],
  audit: {
    ApproveDevice: (command) => {
      const { clientId, grantId } = rowPut(devices, command) ?? {}
      return ["device_approved", { clientId, grantId }]
    },
    DenyDevice: (command) => ["device_denied", { clientId: rowPut(devices, command)?.clientId }],
  },
  discovery: ({ url }) => ({ device_authorization_endpoint: url(deviceAuthorization.path) }),
}
