import { type Command, putting } from "../command.ts"
import type { Locator } from "../handle.ts"
import type { Device } from "../rows.ts"
import { insertion, oneWay, type RowEvent, wholeRowKind } from "../rowKind.ts"
import type { Instant, Seconds } from "../time.ts"

/** Guard: the stored version is the one that was read, and with it the state. */
const next: RowEvent<"version"> = oneWay([["version", "equal", ":before"]], "replace")

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
    events: {
      SaveDevice: insertion,
      PollDevice: next,
      ApproveDevice: next,
      DenyDevice: next,
      ConsumeDevice: next,
    },
    life: {
      states: {
        pending: [["state", "is", "pending"]],
        approved: [["state", "is", "approved"]],
        denied: [["state", "is", "denied"]],
        consumed: [["state", "is", "consumed"]],
      },
      moves: {
        SaveDevice: { none: "pending" },
        PollDevice: { pending: "pending", approved: "approved", denied: "denied" },
        ApproveDevice: { pending: "approved" },
        DenyDevice: { pending: "denied" },
        ConsumeDevice: { approved: "consumed" },
      },
    },
  },
)

/** Saves a new device authorization. */
export const saveDevice = (device: Device): Command => putting(devices, "SaveDevice", device)

/** The version after the one that was read: its state is the one that the move leads to. A move that its state does not know is a defect. */
const moved = (event: string, device: Device, change: Partial<Device> = {}): Command => {
  const state = devices.life?.moves[event]?.[device.state]
  if (state === undefined) throw new Error(`a device that is ${device.state} takes no ${event}`)
  const { locator, version } = device
  // The states of the life are those of the row.
  const row: Device = { ...device, ...change, state: state as Device["state"], version: version + 1 }
  return putting(devices, event, row, { locator, before: version })
}

/** Notes a poll: the device waits for `interval` seconds until the next. */
export const pollDevice = (device: Device, polledAt: Instant, interval: Seconds): Command =>
  moved("PollDevice", device, { polledAt, interval })

/** Approves a pending device: its tokens come from this grant. */
export const approveDevice = (device: Device, grantId: Locator): Command => moved("ApproveDevice", device, { grantId })

/** Denies a pending device. */
export const denyDevice = (device: Device): Command => moved("DenyDevice", device)

/** Consumes an approved device: it has its tokens. */
export const consumeDevice = (device: Device): Command => moved("ConsumeDevice", device)
