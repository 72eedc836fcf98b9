import type { Awaitable } from "@postern/core/ports"

const isLater = <A>(value: Awaitable<A>): value is PromiseLike<A> =>
  typeof value === "object" && value !== null && "then" in value && typeof value.then === "function"

/** Goes on with a value when it is there: at once where the store gave it at once, so that a store in this process costs no promise. */
export const after = <A, B>(value: Awaitable<A>, next: (value: A) => Awaitable<B>): Awaitable<B> =>
  isLater(value) ? value.then(next) : next(value)
