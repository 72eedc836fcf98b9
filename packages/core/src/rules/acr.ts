import type { Client } from "../model/index.ts"

/** What `acr_values` asks for (specification §2.1, §2.2 acr_values). */
export interface AcrAsked {
  /** The provider of `idp:NAME`. */
  readonly idp: string | undefined
  /** The tenant of `tenant:NAME`. */
  readonly tenant: string | undefined
  /** Every other value: authentication contexts, best first (OpenID Connect Core §3.1.2.1). */
  readonly contexts: ReadonlyArray<string>
}

const special = ["idp:", "tenant:"] as const

/** Reads `acr_values`; a client's own defaults count where a request names none (OpenID Connect Dynamic Client Registration §2). */
export const acrAsked = (acrValues: string | undefined, client: Client | undefined): AcrAsked => {
  const words = acrValues?.split(" ").filter((word) => word !== "") ?? client?.defaultAcrValues ?? []
  const named = (prefix: (typeof special)[number]): string | undefined =>
    words.find((word) => word.startsWith(prefix) && word.length > prefix.length)?.slice(prefix.length)
  return {
    idp: named("idp:"),
    tenant: named("tenant:"),
    contexts: words.filter((word) => !special.some((prefix) => word.startsWith(prefix))),
  }
}
