import type { Json, Refusal } from "../model/index.ts"
import { refuse, scopeWords } from "../model/index.ts"
import { type Awaitable, after } from "../ports/index.ts"
import { type MemberKinds, kindFault, memberFaults } from "../model/members.ts"
import type { Fault } from "../rules/registrationFault.ts"
import { type ProvingTable, type RuleTable, type Tracing, judge, pass, table } from "../rules/rule.ts"
import type { Params } from "../wire/index.ts"
import type {
  ExtensionAnswer,
  ExtensionGrantDefinition,
  ExtensionRequest,
  GrantParameters,
  GrantSeen,
  LoadContext,
  ParameterValues,
  PolicyReading,
} from "./grant.ts"

/** A loaded request, whose rules can be judged before it is answered. */
export interface LoadedGrant {
  /** Judges the rules of the grant. */
  readonly judge: (trace: Tracing) => Refusal | undefined
  /** Makes the answer after all rules have passed. */
  readonly answer: () => ExtensionAnswer
}

/** A parsed request of an extension grant. */
export interface OpenedGrant {
  /** The fault of the client's policy; undefined if it has none. */
  readonly policyFault: Fault | undefined
  /** Judges whether every required parameter is present. */
  readonly judgeForm: (trace: Tracing) => Refusal | undefined
  /** Loads the values that the rules judge. */
  readonly load: (context: LoadContext<undefined>) => Awaitable<LoadedGrant>
}

/** An extension grant in the form that core calls, made by {@link extensionGrant}. */
export interface ExtensionGrant {
  /** The grant_type. */
  readonly name: string
  /** The form parameters that may be repeated. */
  readonly repeatable: ReadonlyArray<string>
  /** Selects the requests of its grant_type that it answers; undefined for all of them. */
  readonly takes?: ((params: Params) => boolean) | undefined
  /** Its rule tables, in the order in which a request meets them. */
  readonly tables: ReadonlyArray<RuleTable>
  /** The `iss` of every JWT that it accepts with any `typ`; undefined for none. */
  readonly issuers?: ReadonlyArray<string> | undefined
  /** Finds the fault of a client's policy; undefined if it has none. */
  readonly policyFault: (stated: Json | undefined) => Fault | undefined
  /** Reads a request. */
  readonly open: (params: Params, stated: Json | undefined) => OpenedGrant
}

/** The parameters that core reads itself, or that authenticate the client. Extension grants cannot declare them. */
const coresOwn = ["grant_type", "client_id", "client_secret", "client_assertion", "client_assertion_type", "scope", "resource"]

const nameForm = /^(?:[a-zA-Z][a-zA-Z0-9+.-]*:[\x21-\x7e]+|[a-z][a-z0-9_-]*)$/

interface Sent {
  readonly params: Params
}

/** Makes the rules that every required parameter is present. */
const presence = (name: string, parameters: GrantParameters): ProvingTable<Sent, Sent> => {
  const prefix = name.slice(name.lastIndexOf("/") + 1).replaceAll("_", "-")
  const form = table<Sent>(`${name}/form`)
  for (const parameter in parameters)
    if (parameters[parameter] === "required")
      form.rule(`${prefix}.${parameter.replaceAll("_", "-")}-present`, "RFC 6749 §4.5, §5.2", ({ params }) =>
        params.one(parameter) === undefined ? refuse("invalid_request", `The ${parameter} is missing.`) : pass,
      )
  return form
}

const read = <P extends GrantParameters>(params: Params, parameters: P): ExtensionRequest<P> => {
  const scope = params.one("scope")
  const values = Object.entries(parameters).map(([name, use]): readonly [string, unknown] => {
    if (use === "repeatable") return [name, [...new Set(params.all(name))]]
    return [name, use === "required" ? (params.one(name) ?? "") : params.one(name)]
  })
  return {
    // Each value was just read in the way its parameter was declared.
    parameters: Object.fromEntries(values) as ParameterValues<P>,
    scope: scope === undefined ? undefined : scopeWords(scope),
    resources: [...new Set(params.all("resource"))],
  }
}

/** The kind of each member of a definition. */
const kinds: MemberKinds<ExtensionGrantDefinition<GrantParameters, object, unknown, object>> = {
  name: "text",
  parameters: "object",
  takes: "function?",
  policy: "function?",
  issuers: "texts?",
  rules: "object",
  load: "function",
  grant: "function",
}

const uses = ["required", "optional", "repeatable"]

const checked = (definition: { name: string; parameters: GrantParameters; rules: { readonly name: string } }): void => {
  if (kindFault("", definition, "object") !== undefined) throw new TypeError("extension grant: needs an object, the members of a grant")
  const { name, parameters, rules } = definition
  const faults = [
    ...memberFaults(definition, kinds),
    ...(typeof name !== "string" || nameForm.test(name) ? [] : ["its name must be an absolute URI, or a word in lower case"]),
    ...(rules?.name === "" ? ["its table needs a name"] : []),
    ...Object.entries(parameters ?? {}).flatMap(([parameter, use]) => {
      if (coresOwn.includes(parameter)) return [`it must not declare ${parameter}, which core reads`]
      if (!uses.includes(use)) return [`the parameter ${parameter} must be ${uses.join(", ")}`]
      return /^[A-Za-z0-9_.-]+$/.test(parameter) ? [] : ["a parameter's name is made of letters, digits, _, . and -"]
    }),
  ]
  if (faults.length > 0) throw new TypeError(`extension grant ${String(name)}: ${faults.join("; ")}`)
}

/** Makes an extension grant with a policy per client. Throws one `TypeError` that lists every fault. */
export function extensionGrant<const P extends GrantParameters, Seen extends object, Policy, Proved extends object>(
  definition: ExtensionGrantDefinition<P, Seen, Policy, Proved> &
    Required<Pick<ExtensionGrantDefinition<P, Seen, Policy, Proved>, "policy">>,
): ExtensionGrant
/** Makes an extension grant that treats all clients alike. Throws one `TypeError` that lists every fault. */
export function extensionGrant<const P extends GrantParameters, Seen extends object, Proved extends object>(
  definition: ExtensionGrantDefinition<P, Seen, undefined, Proved> & { readonly policy?: undefined },
): ExtensionGrant
export function extensionGrant<const P extends GrantParameters, Seen extends object, Policy, Proved extends object>(
  definition: ExtensionGrantDefinition<P, Seen, Policy, Proved>,
): ExtensionGrant {
  checked(definition)
  const { name, parameters, rules, load, grant, takes, issuers } = definition
  const form = presence(rules.name, parameters)
  const readPolicy = (stated: Json | undefined): PolicyReading<Policy> =>
    // The policy of a definition without a reader is undefined, because the overloads allow no other definition.
    definition.policy === undefined ? { policy: undefined as Policy } : definition.policy(stated)
  return {
    name,
    repeatable: Object.keys(parameters).filter((each) => parameters[each] === "repeatable"),
    takes: takes && ((params) => takes(read(params, parameters).parameters)),
    tables: form.rules.length === 0 ? [rules] : [form, rules],
    issuers,
    policyFault: (stated) => readPolicy(stated).fault,
    open: (params, stated) => {
      const request = read(params, parameters)
      const reading = readPolicy(stated)
      return {
        policyFault: reading.fault,
        judgeForm: (trace) => (form.rules.length === 0 ? undefined : judge(trace, form, { params })),
        load: (plain) => {
          // Core does not load anything after it was told of a fault.
          const context: LoadContext<Policy> = { ...plain, policy: reading.policy as Policy }
          const { client, policy, settings, tokenEndpoint, now, confirmation } = context
          return after(load(request, context), (found: Seen): LoadedGrant => {
            const seen: GrantSeen<P, Policy, Seen> = { ...found, ...request, client, policy, settings, tokenEndpoint, now, confirmation }
            return {
              judge: (trace) => judge(trace, rules, seen),
              // The rules add the values that they establish to the value that they judge.
              answer: () => grant(seen as GrantSeen<P, Policy, Seen> & Proved),
            }
          })
        },
      }
    },
  }
}

/** Defines an extension grant, in line with `defineClient` and `defineFeature`. It is an alias of {@link extensionGrant}. */
export const defineGrant: typeof extensionGrant = extensionGrant
