import { digestsOf } from "../ports/lifted.ts"
import * as Effect from "effect/Effect"
import { type InitialAccessTokenRow, type RegistrationPolicy, saveInitialAccessToken } from "../features/registration/index.ts"
import type { Command, Instant, JsonObject } from "../model/index.ts"
import { atOnce } from "../ports/index.ts"
import { freshHandle } from "../settle/request.ts"
import { webDigest, webEntropy } from "../platform/webcrypto.ts"

/** An initial access token that is to be made. */
export interface NewInitialAccessToken {
  /** Its name, for the operator. */
  readonly name: string
  /** The limits of what it registers; those of the provider when not given. */
  readonly policy?: RegistrationPolicy | undefined
  /** Number of clients that it may register; any number when not given. */
  readonly mostUses?: number | undefined
  /** The time it ends; never when not given. */
  readonly expiresAt?: Instant | undefined
}

/** An initial access token just made. */
export interface FreshInitialAccessToken {
  /** The token, which is kept nowhere: its row has a digest of it alone. */
  readonly value: string
  /** Its row. */
  readonly row: InitialAccessTokenRow
  /** The command that saves it. */
  readonly command: Command
}

/** Seconds for which a token is kept after its end, for whoever asks what became of it. */
const keptAfter = 2_592_000

/** Makes an initial access token (RFC 7591 §3), to be committed and handed to whoever may register clients. */
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
