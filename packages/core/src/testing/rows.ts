import type {
  AccessToken,
  AuthorizationCode,
  Consent,
  Device,
  Grant,
  Locator,
  OutboxMessage,
  PendingAuthorization,
  RefreshToken,
  Session,
} from "../model/index.ts"
import { locatorAt } from "../model/index.ts"

/** The time at which sample rows are created, in seconds. */
export const sampleTime = 1_800_000_000

/** The locator created `order` milliseconds after {@link sampleTime}; a greater order sorts later. */
export const sampleLocator = (order: number): Locator => locatorAt(sampleTime * 1000 + order, new Uint8Array(6))

const digest = "A".repeat(43)

/** A grant without optional fields, unless they are given. */
export const sampleGrant = (order: number, told: Partial<Grant> = {}): Grant => ({
  id: sampleLocator(order),
  clientId: "client",
  subject: "subject",
  sub: "subject",
  sessionId: sampleLocator(0),
  scope: ["openid"],
  resources: [],
  authTime: sampleTime,
  amr: ["pwd"],
  acr: undefined,
  nonce: undefined,
  claims: undefined,
  authorizationDetails: undefined,
  endsWithSession: false,
  parentId: undefined,
  extension: undefined,
  createdAt: sampleTime,
  keepUntil: sampleTime + 3600,
  revokedAt: undefined,
  ...told,
})

/** A code of a grant. */
export const sampleCode = (order: number, told: Partial<AuthorizationCode> = {}): AuthorizationCode => ({
  locator: sampleLocator(order),
  digest,
  grantId: sampleLocator(1),
  clientId: "client",
  redirectUri: "https://client.example/callback",
  challenge: undefined,
  confirmation: undefined,
  clientVersion: undefined,
  createdAt: sampleTime,
  expiresAt: sampleTime + 60,
  consumedAt: undefined,
  keepUntil: sampleTime + 3600,
  ...told,
})

/** A reference access token issued to a client for itself. */
export const sampleAccessToken = (order: number, told: Partial<AccessToken> = {}): AccessToken => ({
  locator: sampleLocator(order),
  digest,
  grantId: undefined,
  clientId: "client",
  subject: undefined,
  scope: ["api"],
  audience: ["https://api.example"],
  createdAt: sampleTime,
  expiresAt: sampleTime + 3600,
  revokedAt: undefined,
  authorizationDetails: undefined,
  confirmation: undefined,
  keepUntil: sampleTime + 3600,
  ...told,
})

/** A refresh token of a grant. */
export const sampleRefreshToken = (order: number, told: Partial<RefreshToken> = {}): RefreshToken => ({
  locator: sampleLocator(order),
  digest,
  grantId: sampleLocator(1),
  clientId: "client",
  scope: ["openid", "offline_access"],
  createdAt: sampleTime,
  expiresAt: sampleTime + 3600,
  absoluteExpiresAt: 0,
  rotatedAt: undefined,
  successor: undefined,
  confirmation: undefined,
  keepUntil: sampleTime + 3600,
  ...told,
})

/** A session of a person. */
export const sampleSession = (order: number, told: Partial<Session> = {}): Session => ({
  locator: sampleLocator(order),
  digest,
  subject: "subject",
  authTime: sampleTime,
  amr: ["pwd"],
  acr: undefined,
  idp: undefined,
  tenant: undefined,
  agent: "a browser",
  address: "203.0.113.0/24",
  replaced: undefined,
  createdAt: sampleTime,
  seenAt: sampleTime,
  expiresAt: sampleTime + 3600,
  endedAt: undefined,
  keepUntil: sampleTime + 3600,
  ...told,
})

/** A device that waits for a person. */
export const sampleDevice = (order: number, told: Partial<Device> = {}): Device => ({
  locator: sampleLocator(order),
  digest,
  userCode: `user code ${order}`,
  clientId: "client",
  scope: ["openid"],
  createdAt: sampleTime,
  expiresAt: sampleTime + 300,
  interval: 5,
  polledAt: undefined,
  state: "pending",
  grantId: undefined,
  authorizationDetails: undefined,
  version: 1,
  keepUntil: sampleTime + 900,
  ...told,
})

/** A waiting authorization request. */
export const sampleInteraction = (order: number, told: Partial<PendingAuthorization> = {}): PendingAuthorization => ({
  kind: "authorization",
  locator: sampleLocator(order),
  digest,
  browser: digest,
  clientId: "client",
  params: [
    ["client_id", "client"],
    ["resource", "https://one.example"],
    ["resource", "https://two.example"],
  ],
  createdAt: sampleTime,
  expiresAt: sampleTime + 900,
  denied: false,
  version: 1,
  keepUntil: sampleTime + 3600,
  ...told,
})

const finishedAt = sampleTime + 10

/** A waiting row in each of its states. */
export const sampleInteractions: Readonly<Record<string, object>> = {
  waiting: sampleInteraction(1),
  finished: sampleInteraction(1, { finishedAt }),
  "of a device": { ...sampleInteraction(1), kind: "device" },
  "of a page": { ...sampleInteraction(1), kind: "visit" },
  "begun upstream": { ...sampleInteraction(1), kind: "upstream" },
  "finished upstream": { ...sampleInteraction(1), kind: "upstream", finishedAt },
  pushed: { ...sampleInteraction(1), kind: "pushed" },
  "pushed and used": { ...sampleInteraction(1), kind: "pushed", finishedAt },
}

/** A remembered consent that does not expire. */
export const sampleConsent = (subject: string, clientId: string, told: Partial<Consent> = {}): Consent => ({
  subject,
  clientId,
  scope: ["openid"],
  grantedAt: sampleTime,
  expiresAt: 0,
  terms: undefined,
  ...told,
})

/** A waiting message of the outbox. */
export const sampleMessage = (order: number, told: Partial<OutboxMessage> = {}): OutboxMessage => ({
  locator: sampleLocator(order),
  kind: "kind",
  payload: { order },
  createdAt: sampleTime,
  dueAt: sampleTime,
  attempts: 0,
  claimedBy: undefined,
  lastFailure: undefined,
  diedAt: undefined,
  keepUntil: 0,
  ...told,
})
