import { consoleReport } from "../../platform/console.ts"
import type { IdentityProvider, OutboxMessage } from "../../model/index.ts"
import { type Awaitable, type JwtsPort, hostOf, isPartitionName, partitionOf } from "../../ports/index.ts"
import { after, isLater } from "../../ports/awaitable.ts"
import type { DeliveryHandler } from "../../settle/outbox.ts"
import { type Answer, type Message, addressKey, coarseAddress } from "../../wire/index.ts"
import { type AnyFeature, onceFor } from "../composition.ts"
import { soundOptions } from "../kinds.ts"
import { foundIssuer, refuse, refuseIssuer, refuseKinds } from "./kinds.ts"
import type { ProviderOptions, ProviderPorts } from "../options.ts"
import { fetched } from "../fetched.ts"
import { type Provider, bound, handled, judged, providerBy } from "../provider.ts"
import type { Serving } from "../route.ts"
import { type IssuerFound, eitherIssuer, formedIssuers, knownIssuers } from "./address.ts"
import type { FoundIssuer, IssuerOptions, ProvidersOptions } from "./options.ts"
import { type ServedEndpoint, endpointEnding } from "../reach.ts"
import { webClock, webTimer } from "../../platform/timer.ts"
import { shared } from "./shared.ts"
import { drawnKey, ownDeliveries, ownParts } from "./own.ts"
import type { Asker } from "./places.ts"
import { TooManyMade, ready } from "./ready.ts"
import { type Unserved, servedResources, unservedAnywhere, unservedResources } from "./resources.ts"

/** The providers of several issuers in one process. Each message is answered by the issuer of its `host` and path. */
export interface Providers extends Pick<Provider, "handle" | "fetch" | "endpointAt" | "outward" | "report"> {
  /** Reports whether some issuer has an endpoint with this path. Issuers that are looked up are assumed to exist. */
  readonly serves: (path: string, host?: string) => boolean
  /** Returns the provider of an issuer, for uses other than HTTP: interactions and sign-outs. Undefined if there is none. */
  readonly of: (issuer: string) => Promise<Provider | undefined>
  /** Removes an issuer from the cache, for example after a change. It is created again at its next request. */
  readonly forget: (issuer: string) => void
  /** The handlers of messages of all issuers, for `startDelivering` or `maintain` on the store that they share. */
  readonly deliveries: Readonly<Record<string, DeliveryHandler>>
  /** The names of the declared issuers. */
  readonly names: ReadonlyArray<string>
  /** Returns the number of providers that are ready, and of those being created. */
  readonly load: () => { readonly ready: number; readonly making: number }
}

const refused = (status: 404 | 421 | 503, error: string, description: string): Answer => ({
  status,
  headers: [
    ["content-type", "application/json"],
    ["cache-control", "no-store"],
    ["x-content-type-options", "nosniff"],
    ...(status === 503 ? ([["retry-after", "2"]] as const) : []),
  ],
  body: JSON.stringify({ error, error_description: description }),
})

const answers = {
  404: refused(404, "not_found", "No issuer has this address."),
  421: refused(421, "misdirected_request", "No issuer has this host."),
  503: refused(503, "temporarily_unavailable", "The issuer cannot be looked up now. Try again."),
}

/** The state of an issuer. Its provider, for uses other than HTTP, is created from it on demand. */
interface Live extends Serving {
  readonly found: FoundIssuer
}

/** The maximum number of concurrent lookups, of known issuers and of addresses that may be made up. Others are answered 503. */
const mostLookups = { known: 100, strange: 200 }

/** Milliseconds for which a missing issuer is cached. */
const noneFor = 10_000

/** The time limit of a lookup in milliseconds, so that a hanging one releases its slot. */
const longestLookup = 10_000

/** Returns the sender of a lookup. The provider's own lookups have no address. */
const askerOf = (issuer: string, message: Message | undefined): Asker => ({
  address: message?.address === undefined ? "" : addressKey(message.address),
  network: message?.address === undefined ? "" : coarseAddress(message.address),
  host: hostOf(issuer),
})

const noProviders: ReadonlyArray<IdentityProvider> = []

/** Returns the names in an issuer's rows: its name, and also the empty one if it has the rows without a name. */
const marksOf = ({ name, unnamedRows }: FoundIssuer): ReadonlyArray<string> => (unnamedRows === true ? [name, ""] : [name])

const clashTold = (mark: string): string => (mark === "" ? "both have the rows without a name (unnamedRows)" : `have one name, ${mark}`)

/** Returns the faults of one declared issuer, as text. */
const faultsOf = (
  name: string,
  { issuer }: IssuerOptions,
  unserved: () => ReadonlyArray<string>,
  judge: () => void,
): ReadonlyArray<string> => {
  const faults = isPartitionName(name) ? [] : ["a name is 1 to 32 lower-case letters, digits and dashes"]
  try {
    if (typeof issuer === "string") {
      faults.push(...unserved())
      judge()
    } else faults.push("has no issuer")
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    faults.push(error.message.replace(/^createProviders?: /, ""))
  }
  return faults.map((fault) => `issuers.${name}: ${fault}`)
}

/** Creates the providers of several issuers. Throws one `TypeError` that lists the faults of all declared issuers. */
export const providersOf = (options: ProvidersOptions, otherwise: ReadonlyArray<AnyFeature>, jwts: JwtsPort): Providers => {
  refuseKinds(options)
  const { issuers = {}, find, form, ready: most = 1000, refresh = 60, ...given } = options
  const common = shared(jwts)
  const shares = soundOptions(given as ProviderOptions & ProviderPorts)
  const { features = otherwise, grants, report = consoleReport, clock = webClock, timer = webTimer } = shares.options
  const accountKey = drawnKey(given)
  const composition = common.compositionOf({ features, grants }, noProviders)
  const declared = new Map(Object.entries(issuers).map(([name, issuer]) => [issuer.issuer, { ...issuer, name }] as const))
  /** Issuers by the names in their rows, once they were used. Two issuers with the same name would share their rows. */
  const named = new Map(
    Object.entries(issuers).flatMap(([name, each]) => marksOf({ ...each, name }).map((mark) => [mark, each.issuer] as const)),
  )
  const known = knownIssuers([...declared.keys()])
  const partsOf = (found: FoundIssuer) => ownParts(found, given, { features, grants, common, accountKey })
  const made = (found: FoundIssuer): Live => {
    const { options: own, accountKey: key, tokens } = partsOf(found)
    return { ...bound(own, otherwise, { ...common, accountKey: key, tokens }), found }
  }
  /** Validates the options of an issuer before its ports are wrapped, because wrapping would hide faults. */
  const judgedOwn = ({ name, people, unnamedRows, ...own }: Partial<FoundIssuer>): void => {
    refuseIssuer({ people, unnamedRows })
    judged({ ...given, ...own } as ProviderOptions & ProviderPorts, otherwise, common)
  }
  const providerAt = onceFor((live: Live) => providerBy(live))
  const deliveriesAt = onceFor(({ found }: Live) => ownDeliveries(partsOf(found), common))
  const issuerOf = find === undefined ? known.issuerOf : eitherIssuer(known.issuerOf, formedIssuers(form))
  const resourcesOf = ({ resources = shares.options.resources }: IssuerOptions): ProvidersOptions["resources"] => resources
  const unservedOf = (found: IssuerOptions): ReadonlyArray<Unserved> => {
    // Options of the wrong kind are reported with the others.
    const own = soundOptions(found as ProviderOptions & ProviderPorts).options
    const resources = resourcesOf(own)
    const composition = common.compositionOf({ features: own.features ?? features, grants: own.grants ?? grants }, noProviders)
    return unservedResources({ issuer: found.issuer, resources }, composition, issuerOf)
  }
  const faults = [
    ...known.faults,
    ...(Object.keys(issuers).length === 0 && find === undefined ? ["issuers: there is none, and no find to look them up by"] : []),
    // The faults of declared issuers are listed with them.
    ...(Object.keys(issuers).length === 0 ? shares.faults : []),
    ...(find === undefined ? [] : unservedAnywhere(shares.options, composition, issuerOf, [...declared.keys()])),
    ...Object.entries(issuers).flatMap(([name, issuer]) =>
      faultsOf(
        name,
        issuer,
        () => unservedOf(issuer).map(({ fault }) => fault),
        () => judgedOwn(issuer),
      ),
    ),
    ...(Object.values(issuers).filter(({ unnamedRows }) => unnamedRows === true).length > 1
      ? ["issuers: only one may have the rows without a name (unnamedRows)"]
      : []),
  ]
  refuse(faults)

  const lookedUp = (answered: FoundIssuer | undefined, issuer: string): Awaitable<Live | undefined> => {
    const found = foundIssuer(answered, issuer)
    if (found === undefined) return undefined
    if (found.issuer !== issuer) throw new TypeError(`createProviders: find answered ${found.issuer} for ${issuer}`)
    if (!isPartitionName(found.name)) throw new TypeError(`createProviders: ${issuer} has a name that cannot mark its rows`)
    judgedOwn(found)
    const marks = marksOf(found)
    const taken = marks.find((mark) => (named.get(mark) ?? issuer) !== issuer)
    const holder = taken === undefined ? undefined : named.get(taken)
    if (taken === undefined || holder === undefined) {
      const unserved = unservedOf(found)
      for (const mark of marks) named.set(mark, issuer)
      if (unserved.length === 0) return made(found)
      // Of several issuers that share a resource, at most one serves its metadata: the others answer without it.
      told(new TypeError(`createProviders: ${issuer}: ${unserved.map(({ fault }) => fault).join("\n")}`))
      return made({ ...found, resources: servedResources({ resources: resourcesOf(found) }, unserved) })
    }
    const clash = (): TypeError => new TypeError(`createProviders: ${issuer} and ${holder} ${clashTold(taken)}, and would share their rows`)
    if (find === undefined || declared.has(holder)) throw clash()
    // An issuer that moved to another address can no longer be found at the previous one.
    return after(find({ issuer: holder }), (there) => {
      if (there?.issuer === holder && marksOf(there).includes(taken)) throw clash()
      if (named.get(taken) === holder) {
        named.delete(taken)
        live.forget(holder)
      }
      return lookedUp(found, issuer)
    })
  }
  const live = ready<Live, Message>(
    (issuer) => {
      const here = declared.get(issuer)
      if (here !== undefined) return made(here)
      return find === undefined ? undefined : after(find({ issuer }), (found) => lookedUp(found, issuer))
    },
    {
      most,
      together: mostLookups,
      waits: (issuer) => !declared.has(issuer),
      askerOf,
      keep: find === undefined ? Number.POSITIVE_INFINITY : refresh * 1000,
      keepNone: noneFor,
      patience: longestLookup,
      timer,
      clock,
    },
  )
  const told = (cause: unknown): void => {
    try {
      report({ port: "Issuers", operation: "find", cause, uncertain: false })
    } catch {
      // Failures of a report are ignored.
    }
  }
  const failed = (cause: unknown): Answer => {
    if (!(cause instanceof TooManyMade)) told(cause)
    return answers[503]
  }
  const answered = (message: Message, found: IssuerFound): Awaitable<Answer> => {
    if ("status" in found) return answers[found.status]
    try {
      const here = live.of(found.issuer, message)
      if (isLater(here)) return here.then((there) => (there === undefined ? answers[404] : handled(there, message)), failed)
      return here === undefined ? answers[404] : handled(here, message)
    } catch (cause) {
      return failed(cause)
    }
  }
  const handle = (message: Message): Awaitable<Answer> => {
    try {
      return answered(message, issuerOf(message.headers["host"], message.path))
    } catch (cause) {
      // Untyped code may pass a message without headers or path.
      return failed(cause)
    }
  }

  const byName = async (name: string): Promise<Live | undefined> => {
    const issuer = named.get(name)
    const there = issuer === undefined ? undefined : await live.of(issuer)
    if (there !== undefined) return there
    const found = foundIssuer(await find?.({ name }), name)
    if (found !== undefined && !marksOf(found).includes(name))
      throw new TypeError(`createProviders: find answered ${found.name} for ${name === "" ? "the rows without a name" : name}`)
    return found && live.of(found.issuer)
  }
  const endpointAt = (path: string): ServedEndpoint | undefined => endpointEnding(composition, path)
  const kinds = composition.features.flatMap(({ deliveries = {} }) => Object.keys(deliveries))
  const deliver =
    (kind: string): DeliveryHandler =>
    async (message, signal) => {
      const { value: locator, name } = partitionOf(message.locator)
      const there = await byName(name)
      // Another process may know the issuer. If the issuer is gone, delivery is given up after the last attempt.
      if (there === undefined) return { _tag: "Failed", failure: `no issuer is named ${name}` }
      const own: OutboxMessage = { ...message, locator }
      return deliveriesAt(there)[kind]?.(own, signal)
    }
  return {
    handle,
    fetch: (request, caller) =>
      fetched((message) => answered(message, issuerOf(new URL(request.url).host, message.path)), endpointAt, report, request, caller),
    serves: (path, host) => {
      const isEndpoint = endpointAt(path) !== undefined
      return isEndpoint && (host === undefined || "issuer" in issuerOf(host, path))
    },
    endpointAt,
    of: async (issuer) => {
      const there = await live.of(issuer)
      return there && providerAt(there)
    },
    forget: (issuer) => {
      live.forget(issuer)
      for (const [name, other] of named) if (other === issuer && !declared.has(issuer)) named.delete(name)
    },
    deliveries: Object.fromEntries(kinds.map((kind) => [kind, deliver(kind)])),
    names: Object.keys(issuers),
    load: live.load,
    outward: common.outward(given.processes).load,
    report,
  }
}
