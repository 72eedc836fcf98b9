/** A proxy that nothing can be read of. */
export const revoked = (): object => {
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  return proxy
}
/** Throws. */
export const boom = (): never => {
  throw new Error("boom")
}
const named = (member: string): Error => Object.defineProperty(new Error("own"), member, { get: boom })

/** Values that code without types may throw, or reject with. */
export const thrown: ReadonlyArray<readonly [title: string, make: () => unknown]> = [
  ["nothing", () => undefined],
  ["null", () => null],
  ["a symbol", () => Symbol("s")],
  ["a bigint", () => 1n],
  ["a function", () => boom],
  ["an object without a prototype", () => Object.create(null) as unknown],
  ["a revoked proxy", revoked],
  ["a revoked proxy as the cause of an error", () => new Error("own", { cause: revoked() })],
  ["an object whose toString throws", () => ({ toString: boom })],
  ["an error whose message throws", () => named("message")],
  ["an error whose name throws", () => named("name")],
  ["an error whose stack throws", () => named("stack")],
  ["an error whose cause throws", () => named("cause")],
  ["an error whose uncertain throws", () => named("uncertain")],
  ["an error whose message is a symbol", () => Object.assign(new Error("own"), { message: Symbol("s") })],
]
