import { digestsOf } from "../ports/lifted.ts"
import * as Effect from "effect/Effect"
import { type InitialAccessTokenRow, type RegistrationPolicy, policyForm, saveInitialAccessToken } from "../features/registration/index.ts"
import type { Command, Instant, JsonObject } from "../model/index.ts"
import { type Forms, refuseMembers, whole } from "../model/forms.ts"
import type { MemberKinds } from "../model/members.ts"
import { atOnce } from "../ports/index.ts"
import { secondsOf } from "../ports/inSeconds.ts"
import { freshHandle } from "../settle/request.ts"
import { webDigest, webEntropy } from "../platform/webcrypto.ts"

/** The properties of a new initial access token. */
export interface NewInitialAccessToken {
  /** Its name, for the operator. */
  readonly name: string
  /** The limits on clients registered with it; the provider's by default. */
  readonly policy?: RegistrationPolicy | undefined
  /** The maximum number of clients that it may register, 1 or more; unlimited by default. */
  readonly mostUses?: number | undefined
  /** The time it expires, in seconds since 1970; never by default. */
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

const kinds: MemberKinds<NewInitialAccessToken> = { name: "text", policy: "own?", mostUses: "own?", expiresAt: "number?" }

/** In a row zero stands for no limit, which must not follow from a stated one. */
const forms: Forms<NewInitialAccessToken> = { policy: policyForm, mostUses: whole(1) }

/**
 * Creates an initial access token (RFC 7591 §3). The caller commits it and hands it to whoever may register clients. `millis` is the time
 * now, in milliseconds since 1970. Rejects with a `TypeError` for what it cannot use.
 */
export const initialAccessToken = async (asked: NewInitialAccessToken, millis: number): Promise<FreshInitialAccessToken> => {
  refuseMembers("initialAccessToken", asked, kinds, forms)
  if (typeof millis !== "number" || !(millis > 1e11)) throw new TypeError("initialAccessToken: millis: must count milliseconds since 1970")
  const { name, policy, mostUses = 0, expiresAt } = asked
  const until = expiresAt === undefined ? 0 : secondsOf("initialAccessToken: expiresAt: is", expiresAt)
  return Effect.runPromise(
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
          expiresAt: until,
          revokedAt: undefined,
          keepUntil: until === 0 ? 0 : until + keptAfter,
        }
        return { value, row, command: saveInitialAccessToken(row) }
      },
    ),
  )
}
