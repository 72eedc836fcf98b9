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
  /** Grants by their id. */
  readonly grants: Map<Locator, Grant>
  /** Authorization codes by locator. */
  readonly codes: Map<Locator, AuthorizationCode>
  /** Access tokens by locator. */
  readonly accessTokens: Map<Locator, AccessToken>
  /** Refresh tokens by locator. */
  readonly refreshTokens: Map<Locator, RefreshToken>
  /** Sessions by locator. */
  readonly sessions: Map<Locator, Session>
  /** Interactions by locator. */
  readonly interactions: Map<Locator, Interaction>
  /** Device authorizations by locator. */
  readonly devices: Map<Locator, Device>
  /** Locators by digest of the user code. */
  readonly userCodes: Map<string, Locator>
  /** Attempts by key. */
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
