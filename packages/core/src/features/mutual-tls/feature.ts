import type { JsonObject } from "../../model/index.ts"
import type { Described, Feature } from "../feature.ts"
import { byCertificate, clientAuthentication } from "./index.ts"
import { boundTokens, certificateNames, mutualTlsUrl } from "./metadata.ts"

/** The program endpoints of all features at the host that requests certificates (RFC 8705 §5). */
const aliases = (provider: Described, base: string): JsonObject => {
  const { url, features } = provider
  const others = features.filter((each) => each.name !== feature.name)
  const paths = others.flatMap(({ endpoints }) => endpoints?.(provider) ?? []).filter(({ audience }) => audience === "programs")
  const known = new Map(paths.map(({ path }) => [url(path), base + path]))
  const stated = others.flatMap(({ discovery }) => Object.entries(discovery?.(provider) ?? {}))
  return Object.fromEntries(
    stated.flatMap(([member, value]) => {
      const alias = member.endsWith("_endpoint") && typeof value === "string" ? known.get(value) : undefined
      return alias === undefined ? [] : [[member, alias]]
    }),
  )
}

/** Mutual TLS: client authentication by certificates, and tokens that are bound to them (RFC 8705). */
export const feature: Feature = {
  name: "mutual-tls",
  clientAuthentication,
  confirmations: [byCertificate],
  hosts: [mutualTlsUrl.of],
  clientMetadata: [...certificateNames, boundTokens],
  providerSettings: [mutualTlsUrl],
  registration: "mutual-tls",
  discovery: (provider) => {
    const base = mutualTlsUrl.of(provider.settings)
    if (base === undefined) return {}
    return {
      [boundTokens.name]: true,
      ...(base === provider.url("") ? {} : { mtls_endpoint_aliases: aliases(provider, base) }),
    }
  },
}
