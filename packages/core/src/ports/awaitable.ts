/** A value, now or later. */
export type Awaitable<A> = A | PromiseLike<A>

/** Judges whether a value is still to come. */
export const isLater = <A>(value: Awaitable<A>): value is PromiseLike<A> =>
  typeof value === "object" && value !== null && typeof (value as { readonly then?: unknown }).then === "function"

/** Goes on with a value when it is there: at once where it was given at once, so that what is in this process costs no promise. */
export const after = <A, B>(value: Awaitable<A>, next: (value: A) => Awaitable<B>): Awaitable<B> =>
  isLater(value) ? value.then(next) : next(value)
