import { type DetailsAsked, type DetailsFault, type JsonObject, type Refusal, type Settings, refuse } from "../../model/index.ts"
import { type Rule, pass, rule } from "../rule.ts"

/** A request that may ask for authorization details. */
interface Asking {
  readonly details: DetailsAsked
}

/** Refuses authorization details (RFC 9396 §5). */
export const invalidDetails = (problem: string, reason?: string): Refusal =>
  refuse("invalid_authorization_details", `The authorization_details are not valid: ${problem}.`, reason)

const refusedAs = (kind: DetailsFault["kind"], { details: { fault } }: Asking): Refusal | undefined =>
  fault?.kind === kind ? invalidDetails(fault.problem) : pass

/** The parameter is a JSON array of objects that each have a type, within bounds. */
export const detailsForm = <Q extends Asking, S>(prefix: string): Rule<Q, S> =>
  rule(`${prefix}.details-form`, "RFC 9396 §2, §5", (q) => refusedAs("form", q))

/** Each type is one of the provider's, which the client may use. */
export const detailsType = <Q extends Asking, S>(prefix: string): Rule<Q, S> =>
  rule(`${prefix}.details-type`, "RFC 9396 §5, §10", (q) => refusedAs("type", q))

/** Each detail has the fields of its type, and no others; its locations are resources of the type. */
export const detailsFields = <Q extends Asking, S>(prefix: string): Rule<Q, S> =>
  rule(`${prefix}.details-fields`, "RFC 9396 §2.2, §5", (q) => refusedAs("fields", q))

/** The details of a token request go beyond none of those that were granted. */
export const detailsNarrow = <Q extends Asking & { readonly settings: Settings }, S>(
  prefix: string,
  granted: (request: Q) => ReadonlyArray<JsonObject>,
): Rule<Q, S> =>
  rule(`${prefix}.details-narrow`, "RFC 9396 §6.1", (q) => {
    const at = q.details.sent ? q.settings.details?.beyond(q.details.details, granted(q)) : undefined
    return at === undefined
      ? pass
      : invalidDetails(`[${at}] goes beyond what was granted`, `[${at}] is within no granted detail that is left for it`)
  })
