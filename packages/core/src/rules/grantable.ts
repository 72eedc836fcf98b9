import { type PageRefusal, refusePage } from "./page.ts"
import { type ProvingTable, pass } from "./rule.ts"
import { type SectorFault, sectorRefusal } from "./sector.ts"

/** Facts by which a client may be given tokens for a person who has allowed it on a page of ours. */
export interface Grantable {
  /** The reason that the client is not known to be of its sector. */
  readonly sectorFault: SectorFault | undefined
  /** True if the person's subject is a client_id too. */
  readonly subjectIsClient: boolean
}

/**
 * Rules of a client that a person gives tokens to. A client whose people have subjects of its sector is of that sector (OpenID Connect Core §8.1). A person's
 * subject is no client's id: a token of the one would pass for a token of the other (RFC 9700 §4.15).
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
