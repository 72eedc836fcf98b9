import type { AccessToken } from "./token.ts"

const tokens = new WeakMap<object, AccessToken>()

/** Keeps the token of a request that passed. */
export const remember = (request: object, token: AccessToken): void => void tokens.set(request, token)

/** The token of a request that a guard has let pass; throws for any other, so that no operation without a guard takes itself for guarded. */
export const tokenOf = (request: object): AccessToken => {
  const token = tokens.get(request)
  if (token === undefined) throw new TypeError("no guard of @postern/verify has let this request pass")
  return token
}
