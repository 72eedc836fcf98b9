import type { AccessToken, Accepted, ResourceServer } from "./index.ts"

/** A request that passed a guard, with its server and verdict. */
interface Passed {
  readonly server: ResourceServer
  readonly verdict: Accepted
}

const requests = new WeakMap<object, Passed>()

/** Stores the verdict on a request that passed. */
export const remember = (request: object, server: ResourceServer, verdict: Accepted): void =>
  void requests.set(request, { server, verdict })

/**
 * Finds the verdict of a server on a request that has already passed one of its guards, such as when an application and its route each have
 * one.
 */
export const passedBefore = (request: object, server: ResourceServer): Accepted | undefined => {
  const passed = requests.get(request)
  return passed?.server === server ? passed.verdict : undefined
}

/** Returns the token of a request that a guard has let pass. Throws for any other request, so that a missing guard is noticed. */
export const tokenOf = (request: object): AccessToken => {
  const passed = requests.get(request)
  if (passed === undefined) throw new TypeError("no guard of @postern/verify has let this request pass")
  return passed.verdict.ok
}
