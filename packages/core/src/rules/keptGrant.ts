import { type Client, type DetailsAsked, type Grant, type Person, type Settings, refuse } from "../model/index.ts"
import { detailsGiven, detailsLeft, detailsNarrow, soundDetails } from "./details/index.ts"
import { grantedResources, resourceAmong, resourceForm } from "./resource.ts"
import { type ProvingTable, type Rule, pass, prove, rule } from "./rule.ts"
import { mayHave } from "./scope.ts"

/** Requires that a code or token is exchanged by the client that it was issued to. */
export const issuedTo = <S extends { readonly client: Client }>(
  id: string,
  cites: string,
  { called, known = called, clientOf }: { readonly called: string; readonly known?: string; readonly clientOf: (seen: S) => string },
): Rule<S, S> =>
  rule(id, cites, (s) =>
    clientOf(s) === s.client.clientId
      ? pass
      : refuse("invalid_grant", `The ${called} is not valid.`, `the ${known} was issued to another client`),
  )

const activePerson = (person: Person | undefined) => {
  if (person?.active === true) return prove({ person })
  const reason = person === undefined ? "the person is gone" : "the person is disabled"
  return refuse("invalid_grant", "The person can no longer sign in.", reason)
}

/** The facts that determine whether tokens may be issued from an existing grant. */
interface KeptSeen {
  readonly settings: Settings
  readonly client: Client
  readonly details: DetailsAsked
  readonly resources: ReadonlyArray<string>
  readonly person: Person | undefined
}

/** An existing grant of new tokens, as its rules see it. */
interface Kept<S> {
  readonly grantOf: (seen: S) => Grant
  /** Returns the requested scopes; those of the grant by default. */
  readonly scopeOf?: (seen: S) => ReadonlyArray<string>
  /** The error if none of them is left. */
  readonly scopeError?: "invalid_grant" | "invalid_scope"
  /** The paragraphs about scopes and resources. */
  readonly cites: { readonly scope: string; readonly resources: string }
}

/**
 * Adds the rules of a grant from which tokens are issued: the part that the client may still have, and that its person can still sign in.
 */
export const keptGrant =
  <In extends object, S extends KeptSeen>(
    prefix: string,
    { grantOf, scopeOf = (s) => grantOf(s).scope, scopeError = "invalid_grant", cites }: Kept<S>,
  ) =>
  (begun: ProvingTable<In, S>) =>
    begun
      .through(soundDetails(prefix))
      .include(detailsNarrow(prefix, (s: S) => detailsLeft(grantOf(s).authorizationDetails, s.settings, s.client)))
      .establish(`${prefix}.scope-left`, cites.scope, (s) => {
        const scope = scopeOf(s).filter((name) => mayHave(s.settings, s.client, name))
        const authorizationDetails = detailsGiven(grantOf(s), s.details, s.settings, s.client)
        return scope.length > 0 || (authorizationDetails ?? []).length > 0
          ? prove({ scope, authorizationDetails })
          : refuse(scopeError, "No granted scope is left.", "every granted scope has since been withdrawn from the client")
      })
      .include(resourceForm(prefix))
      .include(resourceAmong(prefix, cites.resources, (s: S) => grantedResources(s.settings, grantOf(s))))
      .establish(`${prefix}.person-active`, "RFC 6749 §5.2", ({ person }: KeptSeen) => activePerson(person))
