import { type Command, putting } from "../command.ts"
import type { Locator } from "../handle.ts"
import { moved } from "../moved.ts"
import type { Device } from "../rows.ts"
import { insertedAs, wholeRowKind } from "../rowKind.ts"
import type { Instant, Seconds } from "../time.ts"
import { answerEvents, answerStates } from "./answers.ts"

/** Devices that wait for a person. A replacement has the next version after the one that was read. */
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

/** Records a poll and sets the interval until the next one. */
export const pollDevice = (device: Device, polledAt: Instant, interval: Seconds): Command =>
  moved(devices, "PollDevice", device, { polledAt, interval })

/** Records a poll that came too early and sets the interval until the next one, unless another request has changed the device meanwhile. */
export const hurryDevice = (device: Device, polledAt: Instant, interval: Seconds): Command =>
  moved(devices, "HurryDevice", device, { polledAt, interval })

/** Approves a pending device, whose tokens belong to this grant. */
export const approveDevice = (device: Device, grantId: Locator): Command =>
  moved(devices, "ApproveDevice", device, { grantId, state: "approved" })

/** Denies a pending device. */
export const denyDevice = (device: Device): Command => moved(devices, "DenyDevice", device, { state: "denied" })

/** Consumes an approved device when its tokens are issued. */
export const consumeDevice = (device: Device): Command => moved(devices, "ConsumeDevice", device, { state: "consumed" })
