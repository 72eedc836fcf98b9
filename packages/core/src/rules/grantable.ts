import { type PageRefusal, refusePage } from "./page.ts"
import { type ProvingTable, pass } from "./rule.ts"
import { type SectorFault, sectorRefusal } from "./sector.ts"

/** The facts that determine whether a client may receive tokens for a person who has consented on a page of this provider. */
export interface Grantable {
  /** The reason why the client's membership of its sector is not verified. */
  readonly sectorFault: SectorFault | undefined
  /** True if the person's subject is also a client_id. */
  readonly subjectIsClient: boolean
}

/**
 * Adds the rules of a client that receives tokens for a person. A pairwise client must belong to its sector (OpenID Connect Core §8.1). A
 * person's subject must not be a client's id, because tokens of the two could be confused (RFC 9700 §4.15).
 */
export const grantable =
  <In extends object, S extends Grantable>(prefix: string) =>
  (begun: ProvingTable<In, S, PageRefusal>): ProvingTable<In, S, PageRefusal> =>
    begun
      .rule(`${prefix}.sector`, "OpenID Connect Core §8.1, OpenID Connect Dynamic Client Registration §5", ({ sectorFault }) => {
        if (sectorFault === undefined) return pass
        const { error, description, reason } = sectorRefusal(sectorFault)
        return sectorFault.unavailable
          ? refusePage("unavailable", 503, error, description, reason)
          : refusePage("request_invalid", 400, error, description, reason)
      })
      .rule(`${prefix}.apart-from-clients`, "RFC 9700 §4.15", ({ subjectIsClient }) =>
        subjectIsClient
          ? refusePage(
              "failed",
              500,
              "server_error",
              "The provider cannot issue tokens for this person.",
              "the person's subject is also a client_id",
            )
          : pass,
      )
