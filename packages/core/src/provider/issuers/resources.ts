import type { Composition } from "../../features/feature.ts"
import { hostOf } from "../../ports/index.ts"
import { protectedResourcePath, protectedResourcePlace } from "../../wire/index.ts"
import { endpointsOf } from "../composition.ts"
import type { ProviderOptions } from "../options.ts"
import type { IssuerOf } from "./address.ts"

type Resources = Pick<ProviderOptions, "resources">

/** A resource whose metadata no request would be answered with. */
export interface Unserved {
  /** Its place in the list. */
  readonly at: number
  /** The fault in words. */
  readonly fault: string
}

/** Judges each resource with metadata by its place on its host; the judge answers the rest of the fault's sentence, or nothing. */
const unserved = (
  { resources = [] }: Resources,
  provider: Composition,
  judge: (place: string) => string | undefined,
): ReadonlyArray<Unserved> =>
  // Resources of another kind, and identifiers that are no URL, are refused with the other settings.
  !Array.isArray(resources) || endpointsOf(provider).every(({ path }) => path !== protectedResourcePath)
    ? []
    : resources.flatMap(({ identifier, metadata }: (typeof resources)[number], at) => {
        if (metadata === undefined || !URL.canParse(identifier)) return []
        const why = judge(protectedResourcePlace(identifier).replace(/\?.*$/, ""))
        return why === undefined ? [] : [{ at, fault: `resources[${at}].metadata: the metadata of ${identifier} ${why}` }]
      })

const otherwise = "or leave metadata out, let the resource's own server serve it, and set listed to true"

/**
 * Faults of resources whose metadata no request would be answered with, in words: among several issuers, the place of the metadata (RFC 9728 §3.1) must lead to the issuer
 * that declares it.
 */
export const unservedResources = (
  { issuer, resources }: Resources & { readonly issuer: string },
  provider: Composition,
  issuerOf: IssuerOf,
): ReadonlyArray<Unserved> =>
  unserved({ resources }, provider, (place) => {
    const found = issuerOf(hostOf(issuer), place)
    if ("issuer" in found && found.issuer === issuer) return undefined
    const asked = "issuer" in found ? `is asked of the issuer ${found.issuer}` : "is asked of no issuer"
    return `${asked}, so ${issuer} would never serve it; give the resource a URL below ${issuer}, ${otherwise}`
  })

/** Faults of resources that issuers share which are looked up: on some host the place of the metadata must lead to an issuer, declared or of the form. */
export const unservedAnywhere = (
  shared: Resources,
  provider: Composition,
  issuerOf: IssuerOf,
  declared: ReadonlyArray<string>,
): ReadonlyArray<string> =>
  unserved(shared, provider, (place) =>
    ["any.example", ...declared.filter((issuer) => URL.canParse(issuer)).map(hostOf)].some((host) => "issuer" in issuerOf(host, place))
      ? undefined
      : `is asked of no issuer, whichever is looked up; give the resource a URL below an issuer of the form, ${otherwise}`,
  ).map(({ fault }) => fault)

/** The resources of an issuer without the metadata that no request would be answered with. */
export const servedResources = ({ resources = [] }: Resources, faults: ReadonlyArray<Unserved>): NonNullable<Resources["resources"]> =>
  resources.map((resource, place) => {
    if (faults.every(({ at }) => at !== place)) return resource
    const { metadata: _, ...served } = resource
    return served
  })
