import type { Client, Settings } from "../model/index.ts"
import { refuse, scopeWords } from "../model/index.ts"
import type { Params } from "../wire/index.ts"
import { type Rule, pass, rule } from "./rule.ts"

/** Requires that a `scope` parameter is not empty (RFC 6749 §3.3). */
export const scopeForm = <Q extends { readonly scope: ReadonlyArray<string> | undefined }, S>(prefix: string): Rule<Q, S> =>
  rule(`${prefix}.scope-form`, "RFC 6749 §3.3", (q) => (q.scope?.length === 0 ? refuse("invalid_scope", "The scope names nothing.") : pass))

/** Reports whether a client may have a scope: the provider knows it, and it is among the client's own. */
export const mayHave = ({ catalog }: Settings, client: Client, name: string): boolean =>
  catalog.names.includes(name) && client.scope.includes(name)

/** Requires that a client may have every requested scope (RFC 6749 §3.3). */
export const scopeAllowed = <
  Q extends { readonly scope: ReadonlyArray<string> | undefined; readonly settings: Settings; readonly client: Client },
  S,
>(
  prefix: string,
): Rule<Q, S> =>
  rule(`${prefix}.scope-allowed`, "RFC 6749 §3.3", ({ scope = [], settings, client }) =>
    scope.every((name) => mayHave(settings, client, name))
      ? pass
      : refuse("invalid_scope", "A scope is unknown or not allowed for this client.", "asked for a scope outside the client's own"),
  )

/** Returns the words of a request's `scope`; undefined if none was sent. */
export const askedScope = (params: Params): ReadonlyArray<string> | undefined => {
  const scope = params.one("scope")
  return scope === undefined ? undefined : scopeWords(scope)
}
