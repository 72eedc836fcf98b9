import { type Command, putting } from "../command.ts"
import type { Locator } from "../handle.ts"
import { moved } from "../moved.ts"
import type { Device } from "../rows.ts"
import { insertedAs, wholeRowKind } from "../rowKind.ts"
import type { Instant, Seconds } from "../time.ts"
import { answerEvents, answerStates } from "./answers.ts"

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
    mayLack: ["polledAt", "grantId", "authorizationDetails"],
    events: { SaveDevice: insertedAs("pending"), ...answerEvents("Device") },
    states: answerStates(),
  },
)

/** Saves a new device authorization. */
export const saveDevice = (device: Device): Command => putting(devices, "SaveDevice", device)

/** Notes a poll: the device waits for `interval` seconds until the next. */
export const pollDevice = (device: Device, polledAt: Instant, interval: Seconds): Command =>
  moved(devices, "PollDevice", device, { polledAt, interval })

/** Notes a poll that came too soon, unless another request has changed the device meanwhile: it waits for `interval` seconds until the next. */
export const hurryDevice = (device: Device, polledAt: Instant, interval: Seconds): Command =>
  moved(devices, "HurryDevice", device, { polledAt, interval })

/** Approves a pending device: its tokens come from this grant. */
export const approveDevice = (device: Device, grantId: Locator): Command =>
  moved(devices, "ApproveDevice", device, { grantId, state: "approved" })

/** Denies a pending device. */
export const denyDevice = (device: Device): Command => moved(devices, "DenyDevice", device, { state: "denied" })

/** Consumes an approved device: it has its tokens. */
export const consumeDevice = (device: Device): Command => moved(devices, "ConsumeDevice", device, { state: "consumed" })
