import type * as Effect from "effect/Effect"
import { type Json, type JsonObject, type Person, isJsonObject } from "../../model/index.ts"
import type { PortFailed } from "../../ports/index.ts"
import { mapped, onward, together } from "../../ports/steps.ts"
import type { Inquiry } from "../../settle/request.ts"

/** The most identifiers that an `aliases` identifier may have, since each is looked up. */
const mostAliases = 5

/** The longest address or number that is looked up. */
const longestIdentifier = 320

/** A person identified by a claim that this provider has verified. */
interface ByClaim {
  readonly claim: "email" | "phone_number"
  readonly value: string
}

/** A person identified by their subject at this provider. */
interface BySubject {
  readonly subject: string
}

const textOf = (value: Json | undefined): string | undefined =>
  typeof value === "string" && value !== "" && value.length <= longestIdentifier ? value : undefined

/** Reads one subject identifier (RFC 9493 §3.2); undefined if its format is not supported here or a member is missing. */
const readOne = (id: JsonObject, issuer: string): ByClaim | BySubject | undefined => {
  const [email, number, sub] = [textOf(id["email"]), textOf(id["phone_number"]), textOf(id["sub"])]
  switch (id["format"]) {
    case "email":
      return email === undefined ? undefined : { claim: "email", value: email }
    case "phone_number":
      return number === undefined || !/^\+[1-9][0-9]{1,14}$/.test(number) ? undefined : { claim: "phone_number", value: number }
    case "iss_sub":
      return sub === undefined || id["iss"] !== issuer ? undefined : { subject: sub }
    default:
      return undefined
  }
}

/** Reads a `sub_id`: one identifier, or several identifiers of one person. A list must not contain another list (RFC 9493 §3.2.8). */
export const readSubjectId = (id: Json, issuer: string): ReadonlyArray<ByClaim | BySubject> => {
  if (!isJsonObject(id)) return []
  const { format, identifiers } = id
  const all = format === "aliases" ? (Array.isArray(identifiers) && identifiers.length <= mostAliases ? identifiers : []) : [id]
  return all.flatMap((each) => (isJsonObject(each) ? (readOne(each, issuer) ?? []) : []))
}

/**
 * Finds the person whom an identifier names, and compares the claim. The authenticator also finds people by other names, such as a
 * username, and an address that was not verified could be anybody's.
 */
const personBy = (id: ByClaim | BySubject, { ports: { authenticator } }: Inquiry): Effect.Effect<Person | undefined, PortFailed> =>
  "subject" in id
    ? authenticator.find(id.subject)
    : mapped((authenticator.identify ?? authenticator.find)(id.value), (person) =>
        person?.claims[id.claim] === id.value && person.claims[`${id.claim}_verified`] === true ? person : undefined,
      )

/** Finds the subject of the one person whom a `sub_id` identifies; none if it identifies nobody known here, or two people. */
export const subjectIdentified = (id: Json, inquiry: Inquiry): Effect.Effect<{ readonly subject: string | undefined }, PortFailed> => {
  const [first, second, third, fourth, fifth] = readSubjectId(id, inquiry.ports.settings.issuer).map((each) => personBy(each, inquiry))
  return onward(together({ first, second, third, fourth, fifth }), (found) => {
    const subjects = new Set(Object.values(found).flatMap((person) => person?.subject ?? []))
    return together({ subject: subjects.size === 1 ? [...subjects][0] : undefined })
  })
}
