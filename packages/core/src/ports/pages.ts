import * as Effect from "effect/Effect"
import type { Page, PageContext, PagePolicy } from "../model/index.ts"
import { type ReadPage, readPage } from "../wire/index.ts"
import { isLater } from "./awaitable.ts"
import type { DrawnPage, PagesPort } from "./plain.ts"
import { PortFailed } from "./portFailed.ts"
import type { TimerPort } from "./timer.ts"

/** The pages port as endpoints use it. */
export interface Pages {
  /** Renders a whole page. */
  readonly render: (page: Page, context: PageContext) => Effect.Effect<ReadPage, PortFailed>
  /** Returns the sources that the Content-Security-Policy of a page allows in addition to those of every page. */
  readonly policyOf: (page: Page) => PagePolicy | undefined
  /** Tags of the languages of the pages. */
  readonly languages?: ReadonlyArray<string> | undefined
}

/** The time limit for rendering a whole page, in milliseconds. */
const defaultTimeout = 10_000

/** A page that was not rendered within its time limit. */
export class PageTimedOut extends Error {
  override readonly name = "PageTimedOut"
  constructor(milliseconds: number) {
    super(`the page was not whole after ${milliseconds} ms`)
  }
}

/** Binds a pages port. Its result is read to the end, within the time limit. A page returned as a string allocates no promise. */
export const pagesFrom = (port: PagesPort, timer: TimerPort): Pages => {
  const policies = new Map(Object.entries(port.policies ?? {}))
  const every = policies.get("every")
  const failed = (cause: unknown): PortFailed => new PortFailed({ port: "Pages", operation: "render", cause })
  const later = (drawn: PromiseLike<DrawnPage> | DrawnPage): Effect.Effect<ReadPage, PortFailed> =>
    Effect.tryPromise({
      try: () => within(timer, port.timeout ?? defaultTimeout, async (onTimeout) => readPage(await drawn, onTimeout)),
      catch: failed,
    })
  return {
    get languages() {
      return port.languages
    },
    policyOf: (page) => {
      const own = policies.get(page._tag === "Feature" ? page.name : page._tag)
      return own === undefined || every === undefined ? (own ?? every) : added(every, own)
    },
    render: (page, context) => {
      try {
        const drawn = port.render(page, context)
        if (isLater(drawn) || typeof drawn !== "string") return later(drawn)
        const read = readPage(drawn)
        return Effect.succeed(read)
      } catch (cause) {
        return Effect.fail(failed(cause))
      }
    },
  }
}

const added = (first: PagePolicy, second: PagePolicy): PagePolicy => {
  const names = new Set([...Object.keys(first), ...Object.keys(second)]) as ReadonlySet<keyof PagePolicy>
  return Object.fromEntries([...names].map((name) => [name, [...(first[name] ?? []), ...(second[name] ?? [])]]))
}

/** Runs a task with a time limit; the task passes `onTimeout` a function that stops it. */
const within = <A>(timer: TimerPort, milliseconds: number, run: (onTimeout: (stop: () => void) => void) => Promise<A>): Promise<A> =>
  new Promise((resolve, reject) => {
    let isOver = false
    let stop: (() => void) | undefined
    const over = timer.start(milliseconds, () => {
      isOver = true
      reject(new PageTimedOut(milliseconds))
      stop?.()
    })
    const settled =
      <B>(settle: (value: B) => void) =>
      (value: B): void => {
        over()
        settle(value)
      }
    // A stop function that is passed after the timeout is called at once, because the result is no longer needed.
    run((how) => (isOver ? how() : void (stop = how))).then(settled(resolve), settled(reject))
  })
