import { type MemberKinds, kindFault, kindOf, memberFaults, refuseFaults } from "../../model/members.ts"
import type { IssuerForm } from "./address.ts"
import type { FoundIssuer, IssuerOptions, ProvidersOptions } from "./options.ts"

/** The kinds of the options that only providers of several issuers have. */
const kinds: MemberKinds<Pick<ProvidersOptions, "issuers" | "find" | "form" | "ready" | "refresh">> = {
  issuers: "object?",
  find: "function?",
  form: "object?",
  ready: "number?",
  refresh: "number?",
}

const formKinds: MemberKinds<IssuerForm> = { scheme: "text?", segments: "number?" }

/** Returns the faults of values of the right kind by which no issuer would be found, or found once and for all. */
const valueFaults = ({
  form: { scheme = "https", segments = 1 } = {},
  ready = 1,
  refresh = 0,
}: ProvidersOptions): ReadonlyArray<string> => [
  ...(scheme === "https" || scheme === "http" ? [] : ["form.scheme: must be https or http"]),
  ...(Number.isInteger(segments) && segments >= 0 && segments <= 32 ? [] : ["form.segments: must be a whole number from 0 to 32"]),
  ...(ready >= 1 ? [] : ["ready: must be a number of providers from 1"]),
  ...(refresh >= 0 ? [] : ["refresh: must be a number of seconds from 0"]),
]

/** Throws for members of an issuer that no provider has. A number in place of `unnamedRows` would let several issuers share the rows without a name. */
export const refuseIssuer = ({ people, unnamedRows }: Partial<IssuerOptions>): void =>
  refuseFaults(
    "createProviders",
    kindFault("people", people ?? undefined, "text?"),
    kindFault("unnamedRows", unnamedRows ?? undefined, "boolean?"),
  )

/** Returns an issuer that `find` answered; undefined for null, which many database libraries return for a missing row. Throws for any other value. */
export const foundIssuer = (found: FoundIssuer | null | undefined, sought: string): FoundIssuer | undefined => {
  const given = found ?? undefined
  if (given === undefined || typeof given === "object") return given
  throw new TypeError(`createProviders: find answered ${kindOf(given)} for ${sought}, and must answer an issuer or undefined`)
}

/** Throws one `TypeError` that lists the faults, if there are any. */
export const refuse = (faults: ReadonlyArray<string>): void => refuseFaults("createProviders", faults)

/** Throws for options that cannot be validated per issuer: those of the wrong kind, and issuers that are no objects. */
export const refuseKinds = (options: ProvidersOptions): void => {
  if (kindFault("", options, "object") !== undefined) throw new TypeError("createProviders: needs an object of settings, ports and issuers")
  const given = options as Readonly<Record<string, unknown>>
  const wrong = Object.entries(kinds).flatMap(([name, kind]) => kindFault(name, given[name], kind) ?? [])
  if (wrong.length === 0 && options.form !== undefined) wrong.push(...memberFaults(options.form, formKinds, "form."))
  if (wrong.length === 0) wrong.push(...valueFaults(options))
  const issuers = Object.entries(options.issuers ?? {}).flatMap(([name, each]) => kindFault(`issuers.${name}`, each, "object") ?? [])
  refuse(wrong.length > 0 ? wrong : issuers)
}
