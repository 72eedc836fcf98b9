import type { Client, DetailsAsked, Person } from "../model/index.ts"
import { detailsParameter } from "../rules/details/index.ts"
import { enriched, readDetails } from "../rules/details/known.ts"
import { profileOf } from "../rules/profile.ts"
import { declaredForms } from "../rules/resource.ts"
import { refuseJson } from "../settle/programs.ts"
import type { Inquiry } from "../settle/request.ts"
import { type Attempt, row } from "../settle/stage.ts"
import type { Params } from "../wire/index.ts"

/** The evidence at the start of every grant's row. */
export interface GrantRequest {
  readonly params: Params
  /** The authenticated client, which is allowed this grant_type. */
  readonly client: Client
}

/** A grant type: its name, and the row of stages that ends with an issuance. */
export interface Grant extends Attempt<GrantRequest> {
  readonly grantType: string
  /** Parameters that may be repeated, in addition to `resource`. */
  readonly repeatable: ReadonlyArray<string>
  /** True if it accepts `authorization_details` (RFC 9396 §6); any other grant refuses them. */
  readonly details?: true
  /** Selects the requests of its grant_type that it answers, if another grant may have the same one. Default: all requests. */
  readonly takes?: ((params: Params) => boolean) | undefined
}

/** Makes a grant type from its row, which decides by {@link issueTokens}. */
export const grant = (grantType: string, { tables, attempt }: Attempt<GrantRequest>, repeatable: ReadonlyArray<string> = []): Grant => ({
  grantType,
  repeatable,
  tables,
  attempt,
})

/** Makes a grant type that accepts `authorization_details` (RFC 9396 §6), which its row reads with {@link detailsOf}. */
export const grantWithDetails = (grantType: string, attempt: Attempt<GrantRequest>): Grant => ({
  ...grant(grantType, attempt),
  details: true,
})

/** Makes a grant that accepts `authorization_details` and answers some requests of a grant_type, which another grant may also have. */
export const grantFor = (grantType: string, takes: (params: Params) => boolean, attempt: Attempt<GrantRequest>): Grant => ({
  ...grantWithDetails(grantType, attempt),
  takes,
})

/** Selects the grant of a request: one that selects the request, or otherwise one without a selection, or otherwise the first. */
export const grantAmong = (grants: ReadonlyArray<Grant>, params: Params): Grant | undefined =>
  grants.find(({ takes }) => takes?.(params) === true) ?? grants.find(({ takes }) => takes === undefined) ?? grants[0]

/** Reads the authorization details of a token request, enriched by the provider for the person (RFC 9396 §6, §7.1). */
export const detailsOf = (
  { params, client, person }: GrantRequest & { readonly person?: Person | undefined },
  { ports: { settings } }: Inquiry,
): { readonly details: DetailsAsked } => {
  const asked = readDetails(params.one(detailsParameter), settings, client)
  return { details: asked.details.length === 0 ? asked : { ...asked, details: enriched(asked.details, settings.details, person) } }
}

/** Starts the row of a grant. */
export const grantRow = row<GrantRequest>(refuseJson).read(({ params, client }, { ports, now }) => ({
  settings: ports.settings,
  now,
  resources: declaredForms(ports.settings.catalog, profileOf(client, ports.settings), params.all("resource")),
}))
