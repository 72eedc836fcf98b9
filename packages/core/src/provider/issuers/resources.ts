import type { Composition } from "../../features/feature.ts"
import { hostOf } from "../../ports/index.ts"
import { protectedResourcePath, protectedResourcePlace } from "../../wire/index.ts"
import { endpointsOf } from "../composition.ts"
import type { ProviderOptions } from "../options.ts"
import type { IssuerOf } from "./address.ts"

type Resources = Pick<ProviderOptions, "resources">

/** A resource whose metadata could not be requested from any issuer. */
export interface Unserved {
  /** Its index in the list. */
  readonly at: number
  /** The fault, as text. */
  readonly fault: string
}

/**
 * Checks each resource with metadata by the place of the metadata on its host. `judge` returns the rest of the fault's sentence, or
 * undefined.
 */
const unserved = (
  { resources = [] }: Resources,
  provider: Composition,
  judge: (place: string) => string | undefined,
): ReadonlyArray<Unserved> =>
  // Resources of the wrong kind, and identifiers that are no URL, are reported with the other settings.
  !Array.isArray(resources) || endpointsOf(provider).every(({ path }) => path !== protectedResourcePath)
    ? []
    : resources.flatMap(({ identifier, metadata }: (typeof resources)[number], at) => {
        if (metadata === undefined || !URL.canParse(identifier)) return []
        const why = judge(protectedResourcePlace(identifier).replace(/\?.*$/, ""))
        return why === undefined ? [] : [{ at, fault: `resources[${at}].metadata: the metadata of ${identifier} ${why}` }]
      })

const otherwise = "or leave metadata out, let the resource's own server serve it, and set listed to true"

/**
 * Returns faults for resources whose metadata could not be requested. With several issuers, the place of the metadata (RFC 9728 §3.1) must
 * lead to the issuer that declares it.
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

/**
 * Returns faults for shared resources of issuers that are looked up. On some host, the place of the metadata must lead to an issuer that is
 * declared or has the required form.
 */
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

/** Returns the resources of an issuer without metadata that could not be requested. */
export const servedResources = ({ resources = [] }: Resources, faults: ReadonlyArray<Unserved>): NonNullable<Resources["resources"]> =>
  resources.map((resource, place) => {
    if (faults.every(({ at }) => at !== place)) return resource
    const { metadata: _, ...served } = resource
    return served
  })
