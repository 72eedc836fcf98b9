/** A value or a promise of it. */
export type Awaitable<A> = A | PromiseLike<A>

/** Reports whether a value is a promise or another thenable. */
export const isLater = <A>(value: Awaitable<A>): value is PromiseLike<A> =>
  typeof value === "object" && value !== null && typeof (value as { readonly then?: unknown }).then === "function"

/** Calls `next` with a value: synchronously if the value is no promise, so that in-process ports allocate none. */
export const after = <A, B>(value: Awaitable<A>, next: (value: A) => Awaitable<B>): Awaitable<B> =>
  isLater(value) ? value.then(next) : next(value)
