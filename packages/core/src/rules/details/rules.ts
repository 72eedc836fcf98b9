import { type DetailsAsked, type DetailsFault, type JsonObject, type Refusal, type Settings, refuse } from "../../model/index.ts"
import { type ProvingTable, type Rule, pass, rule } from "../rule.ts"

/** A request that may contain authorization details. */
interface Asking {
  readonly details: DetailsAsked
}

/** Refuses authorization details (RFC 9396 §5). */
export const invalidDetails = (problem: string, reason?: string): Refusal =>
  refuse("invalid_authorization_details", `The authorization_details are not valid: ${problem}.`, reason)

const refusedAs = (kind: DetailsFault["kind"], { details: { fault } }: Asking): Refusal | undefined =>
  fault?.kind === kind ? invalidDetails(fault.problem) : pass

/**
 * Requires that the details are a JSON array of objects within limits. Each is of a type that the client may use and has exactly the fields
 * of its type; its locations are resources of the type.
 */
export const soundDetails =
  <In extends object, S extends Asking>(prefix: string) =>
  (begun: ProvingTable<In, S>): ProvingTable<In, S> =>
    begun
      .rule(`${prefix}.details-form`, "RFC 9396 §2, §5", (s) => refusedAs("form", s))
      .rule(`${prefix}.details-type`, "RFC 9396 §5, §10", (s) => refusedAs("type", s))
      .rule(`${prefix}.details-fields`, "RFC 9396 §2.2, §5", (s) => refusedAs("fields", s))

/** Requires that the details of a token request do not exceed the granted ones. */
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
