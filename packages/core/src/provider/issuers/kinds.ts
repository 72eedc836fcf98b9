import { type MemberKinds, kindFault, refuseFaults } from "../../model/members.ts"
import type { ProvidersOptions } from "./options.ts"

/** The kinds of the options that only providers of several issuers have. */
const kinds: MemberKinds<Pick<ProvidersOptions, "issuers" | "find" | "form" | "ready" | "refresh">> = {
  issuers: "object?",
  find: "function?",
  form: "object?",
  ready: "number?",
  refresh: "number?",
}

/** Throws one `TypeError` that lists the faults, if there are any. */
export const refuse = (faults: ReadonlyArray<string>): void => refuseFaults("createProviders", faults)

/** Throws for options that cannot be validated per issuer: those of the wrong kind, and issuers that are no objects. */
export const refuseKinds = (options: ProvidersOptions): void => {
  if (typeof options !== "object" || options === null)
    throw new TypeError("createProviders: needs an object of settings, ports and issuers")
  const given = options as Readonly<Record<string, unknown>>
  const wrong = Object.entries(kinds).flatMap(([name, kind]) => kindFault(name, given[name], kind) ?? [])
  const issuers = Object.entries(options.issuers ?? {}).flatMap(([name, each]) => kindFault(`issuers.${name}`, each, "object") ?? [])
  refuse(wrong.length > 0 ? wrong : issuers)
}
