import type { Command, Device, Interaction } from "@postern/core/model"
import { deviceDocument, interactionDocument, type Stored } from "@postern/stores/rows"
import { parameter } from "../database/text.ts"
import type { StoredRow } from "./table.ts"
import type { Tables } from "./tables.ts"

/** A command as `postern.commit` takes it: its own members, and a row by column. */
export type WrittenCommand = Readonly<Record<string, Stored | boolean | StoredRow | undefined>>

/** Writes commands. The statement of each is in `commitFunction.ts`. */
export const writeCommand = (tables: Tables): ((command: Command) => WrittenCommand) => {
  const saved = (_tag: Command["_tag"], row: StoredRow): WrittenCommand => ({ _tag, row })
  return (command) => {
    switch (command._tag) {
      case "SaveGrant":
        return saved(command._tag, tables.grants.write(command.grant))
      case "SaveCode":
        return saved(command._tag, tables.codes.write(command.code))
      case "SaveAccessToken":
        return saved(command._tag, tables.accessTokens.write(command.token))
      case "SaveRefreshToken":
        return saved(command._tag, tables.refreshTokens.write(command.token))
      case "SaveSession":
        return saved(command._tag, tables.sessions.write(command.session))
      case "SaveInteraction":
      case "ReplaceInteraction":
        return saved(command._tag, interactionRow(command.interaction))
      case "SaveDevice":
      case "ReplaceDevice":
        return saved(command._tag, deviceRow(command.device))
      case "SaveConsent":
        return { ...saved(command._tag, tables.consents.write(command.consent)), replaces: command.replaces }
      case "RequireConsent":
        return saved(command._tag, tables.consents.write(command.consent))
      case "RotateRefreshToken":
        return { ...command, locator: parameter(command.locator), successor: JSON.stringify(command.successor) }
      case "CountAttempt":
      case "ReserveAttempt":
      case "ReturnAttempt":
      case "ForgetAttempts":
      case "UseOnce":
        return { ...command, key: parameter(command.key) }
      case "RevokeGrants": {
        const { _tag, subject, clientId = null, sessionId = null, at } = command
        return { _tag, subject: parameter(subject), clientId: parameter(clientId), sessionId: parameter(sessionId), at }
      }
      case "RemoveConsent":
        return { ...command, subject: parameter(command.subject), clientId: parameter(command.clientId) }
      case "RequireGrant":
      case "KeepGrant":
      case "RevokeGrant":
        return { ...command, grantId: parameter(command.grantId) }
      case "ConsumeCode":
      case "RevokeAccessToken":
      case "RequireSession":
      case "TouchSession":
      case "EndSession":
        return { ...command, locator: parameter(command.locator) }
    }
  }
}

const interactionRow = (interaction: Interaction): StoredRow => {
  const { locator, version, keepUntil } = interaction
  return { locator: parameter(locator), version, keep_until: keepUntil, content: parameter(interactionDocument.write(interaction)) }
}

const deviceRow = (device: Device): StoredRow => {
  const { locator, userCode, version, keepUntil } = device
  return {
    locator: parameter(locator),
    user_code: parameter(userCode),
    version,
    keep_until: keepUntil,
    content: parameter(deviceDocument.write(device)),
  }
}
