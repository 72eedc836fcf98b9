import {
  type Client,
  type DetailSettings,
  type DetailsAsked,
  type DetailsFault,
  type Grant,
  type JsonObject,
  isJsonObject,
} from "../../model/index.ts"
import { type JsonBounds, readStrictJson } from "../../wire/index.ts"
import { fitted } from "./check.ts"
import { typeOf } from "./type.ts"

/** The name of the parameter (RFC 9396 §2). */
export const detailsParameter = "authorization_details"

/** The maximum number of details in one request. */
export const mostDetails = 20

/** The limits of the parameter. A stored request has a lower limit on its length. */
export const detailBounds: JsonBounds = { longest: 12_288, deepest: 8, most: 1000 }

/** Settings with the types of details. */
interface Knowing {
  readonly details: DetailSettings | undefined
}

/** Validates one detail of a request, or returns its fault. */
type ReadDetail = (detail: JsonObject) => { readonly detail: JsonObject } | DetailsFault

const none: DetailsAsked = { sent: false, details: [] }

const faulty = (kind: DetailsFault["kind"], problem: string): DetailsAsked => ({ sent: true, details: [], fault: { kind, problem } })

/**
 * Reads the `authorization_details` of a request (RFC 9396 §2): a JSON array of objects, each of a type that the provider has and the
 * client may use, with the fields of that type. A provider without types ignores the parameter.
 */
export const readDetails = (text: string | undefined, { details: known }: Knowing, client: Pick<Client, "members">): DetailsAsked => {
  if (text === undefined || known === undefined) return none
  return detailsIn(text, detailBounds, (detail) => detailOf(detail, known, client))
}

/** Reads details for another party, which knows their types: a JSON array of different objects with a type (RFC 9396 §2). */
export const foreignDetails = (text: string | undefined, bounds: JsonBounds): DetailsAsked =>
  text === undefined ? none : detailsIn(text, bounds, (detail) => ({ detail }))

const detailsIn = (text: string, bounds: JsonBounds, readDetail: ReadDetail): DetailsAsked => {
  const read = readStrictJson(text, bounds)
  if ("fault" in read) return faulty("form", `it is ${read.fault}`)
  if (!Array.isArray(read.value)) return faulty("form", "it is not an array")
  const items: ReadonlyArray<unknown> = read.value
  if (items.length === 0 || items.length > mostDetails) return faulty("form", `it must have 1 to ${mostDetails} details`)
  const details: Array<JsonObject> = []
  const texts = new Set<string>()
  for (const [at, item] of items.entries()) {
    if (!isJsonObject(item) || typeof item["type"] !== "string") return faulty("form", `[${at}] is not an object with a type`)
    const found = readDetail(item)
    if ("kind" in found) return faulty(found.kind, `[${at}]${found.problem}`)
    const written = JSON.stringify(found.detail)
    if (texts.has(written)) return faulty("form", `[${at}] is the same as an earlier one`)
    texts.add(written)
    details.push(found.detail)
  }
  return { sent: true, details }
}

const detailOf = (
  detail: JsonObject,
  { types, allowedTo }: DetailSettings,
  client: Pick<Client, "members">,
): { readonly detail: JsonObject } | DetailsFault => {
  const type = typeOf(detail, types)
  if (type === undefined) return { kind: "type", problem: " has an unknown type" }
  if (!allowedTo(client).includes(type.type)) return { kind: "type", problem: " has a type that the client may not use" }
  const found = fitted(detail, type)
  if ("detail" in found) return found
  const { path, problem } = found.fault
  return { kind: "fields", problem: `${path === "" ? "" : `.${path}`} ${problem}` }
}

/**
 * Returns the details of a token response: the requested ones, which are within the granted ones, or all that are left. Undefined if none
 * were ever requested.
 */
export const detailsGiven = (
  { authorizationDetails }: Pick<Grant, "authorizationDetails">,
  { sent, details }: DetailsAsked,
  settings: Knowing,
  client: Pick<Client, "members">,
): ReadonlyArray<JsonObject> | undefined =>
  sent ? details : authorizationDetails === undefined ? undefined : detailsLeft(authorizationDetails, settings, client)

/** Returns the details that a client may still have: those of an existing type that it may use now. */
export const detailsLeft = (
  details: ReadonlyArray<JsonObject> | undefined,
  { details: known }: Knowing,
  client: Pick<Client, "members">,
): ReadonlyArray<JsonObject> =>
  details === undefined || known === undefined
    ? []
    : details.filter(({ type }) => typeof type === "string" && known.types.has(type) && known.allowedTo(client).includes(type))
