import type {
  AccessToken,
  Attempts,
  AuthorizationCode,
  Consent,
  Device,
  Grant,
  Interaction,
  Locator,
  RefreshToken,
  Session,
} from "../model/index.ts"

/** Every row, by kind and locator. */
export interface Tables {
  readonly grants: Map<Locator, Grant>
  readonly codes: Map<Locator, AuthorizationCode>
  readonly accessTokens: Map<Locator, AccessToken>
  readonly refreshTokens: Map<Locator, RefreshToken>
  readonly sessions: Map<Locator, Session>
  readonly interactions: Map<Locator, Interaction>
  readonly devices: Map<Locator, Device>
  /** Locators by digest of the user code. */
  readonly userCodes: Map<string, Locator>
  readonly attempts: Map<string, Attempts>
  /** By subject, then by client. */
  readonly consents: Map<string, Map<string, Consent>>
}

/** Tables without a row. */
export const emptyTables = (): Tables => ({
  grants: new Map(),
  codes: new Map(),
  accessTokens: new Map(),
  refreshTokens: new Map(),
  sessions: new Map(),
  interactions: new Map(),
  devices: new Map(),
  userCodes: new Map(),
  attempts: new Map(),
  consents: new Map(),
})
