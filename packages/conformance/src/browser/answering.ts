import type { IncomingHttpHeaders } from "node:http"
import type { Pairs } from "../exchange/exchange.ts"

const membersOf = (part: string | undefined): Readonly<Record<string, unknown>> | undefined => {
  try {
    const value: unknown = JSON.parse(Buffer.from(part ?? "", "base64url").toString())
    return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : undefined
  } catch {
    return undefined
  }
}

/**
 * The `state` that an authorization response must have; undefined if the URL does not show it, because the request is stored at the
 * provider or has several.
 */
const stateOf = (opened: string): { readonly state: unknown } | undefined => {
  const { searchParams } = new URL(opened)
  const states = searchParams.getAll("state")
  if (states.length > 1 || searchParams.has("request_uri")) return undefined
  const request = searchParams.get("request")
  if (request === null) return { state: states[0] }
  const claims = membersOf(request.split(".")[1])
  return claims === undefined ? undefined : { state: claims["state"] ?? states[0] }
}

/**
 * Reports whether the parameters at a callback answer the opened authorization request. They have its `state`, directly or in a JWT (JARM
 * §2.1).
 */
export const isAnswerTo = (opened: string, pairs: Pairs): boolean => {
  const expected = stateOf(opened)
  const response = pairs.find(([name]) => name === "response")?.[1].split(".")
  // Only the client can read the state of an encrypted response.
  if (expected === undefined || response?.length === 5) return true
  const found = response === undefined ? pairs.find(([name]) => name === "state")?.[1] : membersOf(response[1])?.["state"]
  return found === expected.state
}

/** Reports whether a request is a top-level navigation or comes from our own page, rather than from a script or a frame of another page. */
export const isOpened = (headers: IncomingHttpHeaders, isForm: boolean, own: string): boolean => {
  const [origin, dest] = [headers.origin, headers["sec-fetch-dest"]]
  if (origin === own) return true
  return (dest === undefined || dest === "document") && (isForm || origin === undefined)
}
