import { type Fault, type Json, type PolicyReading, scopeWords } from "./index.ts"

/** The kinds of values that the members of a policy have. */
interface Kinds {
  readonly flag: boolean
  readonly names: ReadonlyArray<string>
  readonly scope: ReadonlyArray<string>
  readonly seconds: number
}

/** A policy with these members, all of them optional. */
export type PolicyOf<Members extends Readonly<Record<string, keyof Kinds>>> = {
  readonly [Name in keyof Members]: Kinds[Members[Name]] | undefined
}

const wanted: Readonly<Record<keyof Kinds, string>> = {
  flag: "true or false",
  names: "a list of texts",
  scope: "scopes in one text, separated by spaces",
  seconds: "a whole number of seconds, at least 1",
}

const valueOf = (kind: keyof Kinds, stated: Json): Kinds[keyof Kinds] | undefined => {
  switch (kind) {
    case "flag":
      return typeof stated === "boolean" ? stated : undefined
    case "names":
      return Array.isArray(stated) && stated.every((each) => typeof each === "string" && each !== "") ? stated : undefined
    case "scope":
      return typeof stated === "string" && scopeWords(stated).length > 0 ? scopeWords(stated) : undefined
    case "seconds":
      return typeof stated === "number" && Number.isInteger(stated) && stated >= 1 ? stated : undefined
  }
}

const fault = (path: Fault["path"], reason: string, hint: string) => ({ fault: { path, reason, hint } })

/** Parses a client's policy: a JSON object with some of these members. Without one the result is an empty policy. */
export const readPolicy = <const Members extends Readonly<Record<string, keyof Kinds>>>(
  members: Members,
  stated: Json | undefined,
): PolicyReading<PolicyOf<Members>> => {
  const known = `use: ${Object.keys(members).join(", ")}`
  if (stated !== undefined && (typeof stated !== "object" || stated === null || Array.isArray(stated)))
    return fault([], "is not an object", known)
  const policy: Record<string, Kinds[keyof Kinds] | undefined> = {}
  for (const [name, value] of Object.entries(stated ?? {})) {
    const kind = Object.hasOwn(members, name) ? members[name] : undefined
    if (kind === undefined) return fault([name], "is not known to this policy", known)
    policy[name] = valueOf(kind, value)
    if (policy[name] === undefined) return fault([name], `is not ${wanted[kind]}`, `write ${wanted[kind]}`)
  }
  // Each member was read by its own kind, and there are no others.
  return { policy: policy as PolicyOf<Members> }
}
