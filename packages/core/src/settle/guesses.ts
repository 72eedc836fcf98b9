import * as Effect from "effect/Effect"
import type { Attempts, Instant } from "../model/index.ts"
import { PortFailed, type Ports, within } from "../ports/index.ts"
import { afterwards, onward } from "../ports/steps.ts"
import { countedFor } from "../rules/failures.ts"

/** Guesses of one secret that are in progress. */
interface Underway {
  /** Guesses before verification, which read the count or wait. */
  waiting: number
  /** Guesses in verification, whose outcome is not counted yet. */
  judged: number
  /** Wrong guesses that were counted while others were in progress. */
  counted: number
  /** Resolves when the next guess was verified; undefined if nobody waits for that. */
  next: { readonly judged: Promise<void>; readonly done: () => void } | undefined
}

/** The guesses in progress of one provider. */
export interface Guesses {
  /** The guesses, by the key under which wrong ones are counted. */
  readonly byKey: Map<string, Underway>
  /** The number of guesses that wait until another was verified. */
  waiting: number
  /** The maximum of that number. */
  readonly most: number
  /**
   * The time until which counts are read from the store itself, because a wrong guess was counted here and the store's memory may lag by a
   * quarter of a second.
   */
  exactUntil: Instant
}

/** Creates the state without guesses, for one of several processes of a server. */
export const noGuesses = (processes = 1): Guesses => ({
  byKey: new Map(),
  waiting: 0,
  most: Math.ceil(mostWaiting / processes),
  exactUntil: 0,
})

/**
 * The maximum number of idle keys that are kept, because adding and removing a key for each correct secret costs more than verifying the
 * secret.
 */
const mostIdle = 100

/**
 * The maximum number of waiting guesses in all processes of a server. Each holds a slot of the server, most of which must remain for other
 * requests.
 */
const mostWaiting = 400

/** The context in which a guess is verified. */
interface Judging {
  readonly guesses: Guesses
  readonly ports: Ports
  readonly now: number
}

/** A slot for the verification of a guess. */
export interface Place {
  /** The earlier wrong guesses. */
  readonly failures: Attempts | undefined
  /** Releases the slot. `counted` states that the guess was wrong and is counted in the store. */
  readonly leave: (counted: boolean) => void
}

const nobody: Place["leave"] = () => undefined

/**
 * Takes a place for a guess of a secret, before the guess is judged: those counted and those being judged are never more than `most`
 * together, so that any number of guesses at once are no more than as many in a row (RFC 6749 §2.3.1). Further ones wait until one was
 * judged: a right one makes room, a wrong one is counted. Where `most` are counted there is no place to take, and a rule refuses.
 *
 * A right guess writes nothing, and reads nothing where the store knows from memory that nothing was counted. Other processes on the same
 * store see what this one has counted, a quarter of a second later at the latest, and not what it is judging: of guesses sent to all of them
 * at once, each judges `most` at the most.
 */
export const takePlace = (key: string, most: number, judging: Judging): Effect.Effect<Place, PortFailed> => {
  const {
    guesses,
    ports: { tokens },
    now,
  } = judging
  const known = guesses.byKey.get(key)
  const underway = known ?? { waiting: 0, judged: 0, counted: 0, next: undefined }
  if (known === undefined) guesses.byKey.set(key, underway)
  const forget = (): void => {
    if (guesses.byKey.size > mostIdle && underway.waiting === 0 && underway.judged === 0) guesses.byKey.delete(key)
  }
  const take = (failures: Attempts | undefined): Place => {
    underway.judged++
    const leave = (isCounted: boolean): void => {
      underway.judged--
      if (isCounted) {
        underway.counted++
        // The guess may have waited for a long time since `now`: up to the time for which its count is kept, in whatever order guesses end.
        guesses.exactUntil = Math.max(guesses.exactUntil, now + countedFor)
      }
      const { next } = underway
      underway.next = undefined
      next?.done()
      forget()
    }
    return { failures, leave }
  }
  const look = (isExact: boolean): Effect.Effect<Place, PortFailed> => {
    const before = underway.counted
    return onward(isExact ? tokens.findAttempts(key) : tokens.recentAttempts(key, now), (failures): Effect.Effect<Place, PortFailed> => {
      const known = failures === undefined || failures.resetAt <= now ? 0 : failures.count
      // An attempt that was counted since the lookup may or may not be included.
      const counted = (): number => known + underway.counted - before
      // The memory may miss one attempt, so it neither grants the last slot nor refuses anybody.
      if (!isExact) return counted() + underway.judged + 1 < most ? Effect.succeed(take(failures)) : look(true)
      if (known >= most) return Effect.succeed({ failures, leave: nobody })
      if (counted() + underway.judged < most) return Effect.succeed(take(failures))
      // A wrong guess frees no slot, so the store is read again only if its answer can differ.
      const wait = (): Effect.Effect<Place, PortFailed> =>
        underway.judged > 0 && counted() < most && counted() + underway.judged >= most
          ? Effect.flatMap(judgedNext(underway, judging), wait)
          : Effect.suspend(() => look(true))
      return wait()
    })
  }
  underway.waiting++
  return afterwards(look(guesses.exactUntil > now), () => {
    underway.waiting--
    forget()
  })
}

const verdict = (): NonNullable<Underway["next"]> => {
  let done = (): void => undefined
  const judged = new Promise<void>((resolve) => (done = resolve))
  return { judged, done }
}

const judgedNext = (underway: Underway, { guesses, ports: { patience } }: Judging): Effect.Effect<void, PortFailed> => {
  if (guesses.waiting >= guesses.most) {
    const cause = new Error(`${guesses.waiting} guesses at secrets wait already`)
    return Effect.fail(new PortFailed({ port: "ClientStore", operation: "verifySecret", cause }))
  }
  underway.next ??= verdict()
  guesses.waiting++
  // A missing result blocks nobody for longer than the time limit of a port.
  const judged = within(patience, "ClientStore", "verifySecret", underway.next.judged)
  return Effect.onExit(judged, () => Effect.sync(() => void guesses.waiting--))
}
