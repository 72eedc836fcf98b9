import type { AccessToken, Accepted, ResourceServer } from "./index.ts"

/** A request that passed: by which server, and with which verdict. */
interface Passed {
  readonly server: ResourceServer
  readonly verdict: Accepted
}

const requests = new WeakMap<object, Passed>()

/** Keeps the verdict on a request that passed. */
export const remember = (request: object, server: ResourceServer, verdict: Accepted): void =>
  void requests.set(request, { server, verdict })

/** The verdict of a server on a request that has passed its guard before, as where an application and a route of it have one each. */
export const passedBefore = (request: object, server: ResourceServer): Accepted | undefined => {
  const passed = requests.get(request)
  return passed?.server === server ? passed.verdict : undefined
}

/** The token of a request that a guard has let pass; throws for any other, so that no operation without a guard takes itself for guarded. */
export const tokenOf = (request: object): AccessToken => {
  const passed = requests.get(request)
  if (passed === undefined) throw new TypeError("no guard of @postern/verify has let this request pass")
  return passed.verdict.ok
}
