import { type Command, putting } from "../command.ts"
import type { Device } from "../rows.ts"
import { insertedAs, wholeRowKind } from "../rowKind.ts"
import { answerCommands, answerEvents, answerStates } from "./answers.ts"

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
    restored: "removed",
    mayLack: ["polledAt", "grantId", "authorizationDetails"],
    events: { SaveDevice: insertedAs("pending"), ...answerEvents("Device") },
    states: answerStates(),
  },
)

/** Saves a new device authorization. */
export const saveDevice = (device: Device): Command => putting(devices, "SaveDevice", device)

/** The commands of a device's polls and of a person's answer. */
export const deviceAnswers = /* @__PURE__ */ answerCommands(devices, "Device")
