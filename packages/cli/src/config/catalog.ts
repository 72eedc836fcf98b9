import { type Catalog, catalog, type IdentityScope, type ResourceScope, standardScopes } from "@postern/core/model"
import type { ConfigFile } from "./schema.ts"

interface Words {
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly required?: boolean
}

const scope = ({ name, title, description, required }: Words): ResourceScope => ({ name, title, description, required: required ?? false })

/** Returns every scope of a configuration. The standard scopes are included without being declared. */
export const declaredCatalog = ({ scopes = [], resources = [] }: Partial<ConfigFile>): Catalog => {
  const identity = scopes.map((declared): IdentityScope => ({ ...scope(declared), claims: declared.claims }))
  return catalog(
    [...standardScopes, ...identity],
    resources.map(({ identifier, title, scopes: owned, metadata, listed, signed }) => ({
      identifier,
      title,
      metadata,
      listed,
      signed,
      scopes: owned.map((each) => scope(typeof each === "string" ? { name: each } : each)),
    })),
  )
}
