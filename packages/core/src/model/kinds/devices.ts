import { type Command, putting } from "../command.ts"
import type { Device } from "../rows.ts"
import { insertion, wholeRowKind } from "../rowKind.ts"

/** Devices that wait for a person. A replacement is the version after the one it read. */
export const devices = wholeRowKind<Device>(
  "devices",
  { locator: "text", userCode: "text", version: "integer", keepUntil: "integer" },
  {
    called: "a device",
    key: ["locator"],
    ordered: true,
    unique: ["userCode"],
    keptUntil: "keepUntil",
    mayLack: ["polledAt", "grantId"],
    events: {
      SaveDevice: insertion,
      ReplaceDevice: { ways: [{ when: [["version", "equal", ":before"]], change: "replace" }] },
    },
  },
)

/** Saves a new device authorization. */
export const saveDevice = (device: Device): Command => putting(devices, "SaveDevice", device)

/** Replaces a device authorization by its next version. */
export const replaceDevice = (device: Device): Command =>
  putting(devices, "ReplaceDevice", device, { locator: device.locator, before: device.version - 1 })
