import {
  type Command,
  type Instant,
  saveAccessToken,
  saveCode,
  saveDevice,
  saveGrant,
  saveInteraction,
  saveRefreshToken,
  saveSession,
} from "../model/index.ts"
import { contractCase } from "./contract.ts"
import {
  sampleAccessToken,
  sampleCode,
  sampleDevice,
  sampleGrant,
  sampleInteraction,
  sampleRefreshToken,
  sampleSession,
  sampleTime,
} from "./rows.ts"
import type { Awaitable, TokenStorePort } from "../ports/index.ts"

/** The token store that the contract tests. */
export interface TokenStoreSubject {
  /** The store under test. */
  readonly store: TokenStorePort
  /** One slice of sweeping: the number of removed rows, and whether there is more at this time. */
  readonly sweep: (now: Instant) => Awaitable<{ readonly removed: number; readonly more: boolean }>
}

/** Makes a case of this contract. */
export const it = contractCase<TokenStoreSubject>

/** A time after the sample rows were created. */
export const at = sampleTime + 10

/** The grant that sample codes and tokens belong to. */
export const grant = sampleGrant(1)

/** Commands that save sample rows. */
export const saved = {
  grant: (...told: Parameters<typeof sampleGrant>): Command => saveGrant(sampleGrant(...told)),
  code: (...told: Parameters<typeof sampleCode>): Command => saveCode(sampleCode(...told)),
  accessToken: (...told: Parameters<typeof sampleAccessToken>): Command => saveAccessToken(sampleAccessToken(...told)),
  refreshToken: (...told: Parameters<typeof sampleRefreshToken>): Command => saveRefreshToken(sampleRefreshToken(...told)),
  session: (...told: Parameters<typeof sampleSession>): Command => saveSession(sampleSession(...told)),
  device: (...told: Parameters<typeof sampleDevice>): Command => saveDevice(sampleDevice(...told)),
  interaction: (...told: Parameters<typeof sampleInteraction>): Command => saveInteraction(sampleInteraction(...told)),
}

/** Commits, and throws on a conflict. */
export const committed = async ({ store }: TokenStoreSubject, ...commands: ReadonlyArray<Command>): Promise<void> => {
  if ((await store.commit(commands)) !== "Committed") throw new Error(`conflict where none was due: ${tags(commands)}`)
}

/** Commits, and throws unless it is a conflict. */
export const conflicts = async ({ store }: TokenStoreSubject, ...commands: ReadonlyArray<Command>): Promise<void> => {
  if ((await store.commit(commands)) !== "Conflict") throw new Error(`no conflict where one was due: ${tags(commands)}`)
}

const tags = (commands: ReadonlyArray<Command>): string => commands.map(({ event }) => event).join(", ")
