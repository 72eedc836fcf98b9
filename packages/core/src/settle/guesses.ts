import * as Effect from "effect/Effect"
import type { Attempts, Instant } from "../model/index.ts"
import { PortFailed, type Ports, within } from "../ports/index.ts"
import { afterwards, onward } from "../ports/steps.ts"
import { countedFor } from "../rules/failures.ts"

/** Guesses of one secret that are under way. */
interface Underway {
  /** Guesses that are about to be judged: they look up the count, or wait. */
  waiting: number
  /** Guesses that are judged now, and whose outcome is not counted yet. */
  judged: number
  /** Wrong guesses that were counted while others were under way. */
  counted: number
  /** Done when the next guess has been judged; undefined where nobody waits for that. */
  next: { readonly judged: Promise<void>; readonly done: () => void } | undefined
}

/** Guesses under way. One to a provider. */
export interface Guesses {
  /** By the key that wrong ones are counted under. */
  readonly byKey: Map<string, Underway>
  /** Guesses that wait until another was judged. */
  waiting: number
  /** Number of guesses that may wait so. */
  readonly most: number
  /** Until then counts are read from the store itself: a wrong guess was counted here, and a store's memory may be a quarter of a second behind. */
  exactUntil: Instant
}

/** No guess yet, at one of so many processes of a server. */
export const noGuesses = (processes = 1): Guesses => ({
  byKey: new Map(),
  waiting: 0,
  most: Math.ceil(mostWaiting / processes),
  exactUntil: 0,
})

/** Keys whose guesses are over that are kept for the next: adding a key and removing it with every right secret costs more than judging that. */
const mostIdle = 100

/** Guesses that wait at once, at all processes of a server: each holds a place of the server, of which most must be left to requests that guess at nothing. */
const mostWaiting = 400

/** Surroundings in which a guess is judged. */
interface Judging {
  readonly guesses: Guesses
  readonly ports: Ports
  readonly now: number
}

/** A place among the guesses that may be judged. */
export interface Place {
  /** The wrong guesses that were counted before. */
  readonly failures: Attempts | undefined
  /** Gives the place back. `counted` says that the guess was wrong and is counted in the store by now. */
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
        // The guess may have waited long since `now`: as long as its count holds, whatever order guesses end in.
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
      // A try counted since the count was looked up may be in it or not.
      const counted = (): number => known + underway.counted - before
      // Memory may miss one, so it gives no last place and refuses nobody.
      if (!isExact) return counted() + underway.judged + 1 < most ? Effect.succeed(take(failures)) : look(true)
      if (known >= most) return Effect.succeed({ failures, leave: nobody })
      if (counted() + underway.judged < most) return Effect.succeed(take(failures))
      // One that was wrong makes no room: the store is asked again only when it can say something else.
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
  // A verdict that does not come keeps nobody longer than a port may take.
  const judged = within(patience, "ClientStore", "verifySecret", underway.next.judged)
  return Effect.onExit(judged, () => Effect.sync(() => void guesses.waiting--))
}
