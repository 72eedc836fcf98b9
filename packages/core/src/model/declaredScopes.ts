import { type IdentityScope, type Resource, type ResourceScope, offlineAccess, standardScopes } from "./scope.ts"

/** A resource, as far as it is told from others and owns scopes. */
export interface DeclaredResource extends Pick<Resource, "identifier"> {
  /** The scopes it owns. */
  readonly scopes: ReadonlyArray<Pick<ResourceScope, "name">>
}

/** Scopes and resources as they are declared, before a catalog is made of them. */
export interface DeclaredScopes {
  /** Identity scopes beside the standard ones, or in their place. */
  readonly scopes?: ReadonlyArray<Pick<IdentityScope, "name" | "claims">> | undefined
  /** Resources, with the scopes they own. */
  readonly resources?: ReadonlyArray<DeclaredResource> | undefined
}

/** A fault of what is declared, with its place and the way to mend it. */
export interface ScopeFault {
  /** The kind of fault: two of one name, an identity scope that a resource owns, a scope that is built in, or an identifier. */
  readonly of: "names" | "kinds" | "reserved" | "identifiers"
  /** The place of the fault among the declarations. */
  readonly path: ReadonlyArray<string | number>
  /** The fault, in words. */
  readonly message: string
  /** The way to mend it. */
  readonly hint: string
}

/** The positions in a list whose key, the item itself where none is named, an earlier item has already. */
export const repeats = <A>(items: ReadonlyArray<A>, keyOf: (item: A) => unknown = (item) => item): ReadonlyArray<number> => {
  const seen = new Set<unknown>()
  return items.flatMap((item, at) => {
    const key = keyOf(item)
    return key === undefined || seen.size < seen.add(key).size ? [] : [at]
  })
}

const nameOf = ({ name }: Pick<ResourceScope, "name">): string => name

/**
 * The faults of scopes and resources that are declared: a catalog of them would let a later one replace an earlier one without a word (RFC 6749 §3.3, RFC 8707 §2), or
 * say something else of a scope than the specifications do (OpenID Connect Core §5.4, §11).
 */
export const scopeFaults = ({ scopes = [], resources = [] }: DeclaredScopes): ReadonlyArray<ScopeFault> => {
  const identity = new Set([...standardScopes, ...scopes].map(nameOf))
  const faults: Array<ScopeFault> = []
  const add = (of: ScopeFault["of"], path: ScopeFault["path"], message: string, hint: string): void =>
    void faults.push({ of, path, message, hint })
  const builtIn = (path: ScopeFault["path"], why: string): void => add("reserved", path, "is built in", `remove it: ${why}`)
  for (const at of repeats(scopes, nameOf))
    add("names", ["scopes", at, "name"], "is also the name of an earlier entry", "give each scope its own name")
  for (const [at, { name, claims }] of scopes.entries()) {
    if (name === offlineAccess) builtIn(["scopes", at, "name"], "every client with the refresh_token grant may ask for it")
    if (name === "openid" && !claims.includes("sub"))
      add(
        "reserved",
        ["scopes", at, "claims"],
        "lacks sub, which openid always releases",
        "add sub, or remove this declaration: openid is built in",
      )
  }
  const identifier = (at: number) => ["resources", at, "identifier"]
  for (const at of repeats(resources, (each) => each.identifier))
    add("identifiers", identifier(at), "is also the identifier of an earlier resource", "list all scopes of a resource in one place")
  for (const [of, resource] of resources.entries()) {
    if (resource.identifier.includes("#")) add("identifiers", identifier(of), "has a fragment", "remove the # and everything after it")
    const place = (at: number) => ["resources", of, "scopes", at]
    for (const at of repeats(resource.scopes, nameOf)) add("names", place(at), "is declared twice by this resource", "keep one of them")
    for (const [at, { name }] of resource.scopes.entries()) {
      if (name === offlineAccess) builtIn(place(at), "no resource owns it")
      else if (identity.has(name))
        add("kinds", place(at), `${name} is an identity scope`, "a scope is either about a person or about a resource: rename one of them")
    }
  }
  return faults
}
