import { digestsOf } from "../ports/lifted.ts"
import * as Effect from "effect/Effect"
import { type InitialAccessTokenRow, type RegistrationPolicy, saveInitialAccessToken } from "../features/registration/index.ts"
import type { Command, Instant, JsonObject } from "../model/index.ts"
import { atOnce } from "../ports/index.ts"
import { freshHandle } from "../settle/request.ts"
import { webDigest, webEntropy } from "../platform/webcrypto.ts"

/** The properties of a new initial access token. */
export interface NewInitialAccessToken {
  /** Its name, for the operator. */
  readonly name: string
  /** The limits on clients registered with it; the provider's by default. */
  readonly policy?: RegistrationPolicy | undefined
  /** The maximum number of clients that it may register; unlimited by default. */
  readonly mostUses?: number | undefined
  /** The time it expires; never by default. */
  readonly expiresAt?: Instant | undefined
}

/** A newly created initial access token. */
export interface FreshInitialAccessToken {
  /** The token, which is stored nowhere: its row contains only a digest. */
  readonly value: string
  /** Its row. */
  readonly row: InitialAccessTokenRow
  /** The command that saves it. */
  readonly command: Command
}

/** Seconds for which an expired token is kept, so that its use can be looked up. */
const keptAfter = 2_592_000

/** Creates an initial access token (RFC 7591 §3). The caller commits it and hands it to whoever may register clients. */
export const initialAccessToken = (
  { name, policy, mostUses = 0, expiresAt = 0 }: NewInitialAccessToken,
  millis: number,
): Promise<FreshInitialAccessToken> =>
  Effect.runPromise(
    Effect.map(
      freshHandle({ ports: { entropy: webEntropy(), digest: digestsOf(webDigest, atOnce) }, millis }, "n"),
      ({ value, locator, digest }) => {
        const row: InitialAccessTokenRow = {
          locator,
          digest,
          name,
          // A policy is JSON.
          policy: policy as JsonObject | undefined,
          uses: 0,
          mostUses,
          createdAt: Math.floor(millis / 1000),
          expiresAt,
          revokedAt: undefined,
          keepUntil: expiresAt === 0 ? 0 : expiresAt + keptAfter,
        }
        return { value, row, command: saveInitialAccessToken(row) }
      },
    ),
  )
