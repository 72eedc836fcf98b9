import type { Client, DetailsAsked, Person } from "../model/index.ts"
import { detailsParameter } from "../rules/details/index.ts"
import { enriched, readDetails } from "../rules/details/known.ts"
import { profileOf } from "../rules/profile.ts"
import { declaredForms } from "../rules/resource.ts"
import { refuseJson } from "../settle/programs.ts"
import type { Inquiry } from "../settle/request.ts"
import { type Attempt, row } from "../settle/stage.ts"
import type { Params } from "../wire/index.ts"

/** The evidence that every row of a grant begins with. */
export interface GrantRequest {
  readonly params: Params
  /** The client that asks, authenticated, and allowed this grant_type. */
  readonly client: Client
}

/** A grant type: its name, and the row of stages that ends with an issuance. */
export interface Grant extends Attempt<GrantRequest> {
  readonly grantType: string
  /** Parameters that may come more than once, beside `resource`. */
  readonly repeatable: ReadonlyArray<string>
  /** True if it takes `authorization_details` (RFC 9396 §6); any other refuses them. */
  readonly details?: true
  /** Picks the requests of its grant_type that it answers, where another grant may have the same one; all requests when left out. */
  readonly takes?: ((params: Params) => boolean) | undefined
}

/** Makes a grant type of its row, which decides by {@link issueTokens}. */
export const grant = (grantType: string, { tables, attempt }: Attempt<GrantRequest>, repeatable: ReadonlyArray<string> = []): Grant => ({
  grantType,
  repeatable,
  tables,
  attempt,
})

/** Makes a grant type that takes `authorization_details` (RFC 9396 §6): its row reads them by {@link detailsOf}. */
export const grantWithDetails = (grantType: string, attempt: Attempt<GrantRequest>): Grant => ({
  ...grant(grantType, attempt),
  details: true,
})

/** Makes a grant that answers some requests of a grant_type, which another grant may have too, and that takes `authorization_details`. */
export const grantFor = (grantType: string, takes: (params: Params) => boolean, attempt: Attempt<GrantRequest>): Grant => ({
  ...grantWithDetails(grantType, attempt),
  takes,
})

/** Picks the grant of a request: one that asks for just such requests, or else the one that takes any, or else the first. */
export const grantAmong = (grants: ReadonlyArray<Grant>, params: Params): Grant | undefined =>
  grants.find(({ takes }) => takes?.(params) === true) ?? grants.find(({ takes }) => takes === undefined) ?? grants[0]

/** Reads the authorization details that a token request asks for, with what the provider fills in for the person (RFC 9396 §6, §7.1). */
export const detailsOf = (
  { params, client, person }: GrantRequest & { readonly person?: Person | undefined },
  { ports: { settings } }: Inquiry,
): { readonly details: DetailsAsked } => {
  const asked = readDetails(params.one(detailsParameter), settings, client)
  return { details: asked.details.length === 0 ? asked : { ...asked, details: enriched(asked.details, settings.details, person) } }
}

/** Begins the row of a grant. */
export const grantRow = row<GrantRequest>(refuseJson).read(({ params, client }, { ports, now }) => ({
  settings: ports.settings,
  now,
  resources: declaredForms(ports.settings.catalog, profileOf(client, ports.settings), params.all("resource")),
}))
