import type { Awaitable } from "../../ports/index.ts"
import type { ProviderOptions, ProviderPorts } from "../options.ts"
import type { IssuerForm } from "./address.ts"

/** One of several issuers. Options that it does not state default to the shared ones. */
export interface IssuerOptions extends Partial<Omit<ProviderOptions, "issuer">>, Partial<ProviderPorts> {
  /**
   * The issuer identifier: an https URL without query or fragment, exactly as clients compare it (RFC 8414 §2). Its host and path must be
   * unique among the issuers.
   */
  readonly issuer: string
  /**
   * The name of the user directory, under which password guesses are counted for all issuers that use it. By default, it is that of the
   * issuer if it has an authenticator of its own, and otherwise the same for all issuers that share theirs.
   */
  readonly people?: string | undefined
  /**
   * True for the one issuer whose rows have no name, because it continues to use a store that served it alone before. Its rows are found
   * under any name of the issuer, as long as this is set.
   */
  readonly unnamedRows?: boolean | undefined
}

/** An issuer that was looked up. */
export interface FoundIssuer extends IssuerOptions {
  /** Its name, which is stored in its rows: 1 to 32 lower-case letters, digits and dashes, never reused for another issuer. */
  readonly name: string
}

/** The issuer that is looked up, by the identifier of a request or by the name stored in a row. */
export type IssuerSought =
  | { /** The issuer identifier. */ readonly issuer: string }
  | { /** The name stored in rows; empty for rows without a name, which belong to the issuer with `unnamedRows`. */ readonly name: string }

/** The issuers of one process, and the settings and ports of a provider that they share. */
export interface ProvidersOptions extends Partial<Omit<ProviderOptions, "issuer">>, Partial<ProviderPorts> {
  /**
   * Issuers by their names, which are stored in their rows: 1 to 32 lower-case letters, digits and dashes, never reused for another issuer.
   */
  readonly issuers?: Readonly<Record<string, IssuerOptions>> | undefined
  /**
   * Finds an issuer that is not in `issuers`, for example in a database; undefined if there is none. A request waits for it, and all
   * requests for one issuer share one lookup. If it rejects or does not answer within ten seconds, the response is
   * `temporarily_unavailable`, unless the issuer is still cached.
   */
  readonly find?: ((sought: IssuerSought) => Awaitable<FoundIssuer | undefined>) | undefined
  /** The form of issuers that `find` looks up: an https host and one path segment by default. */
  readonly form?: IssuerForm | undefined
  /** The maximum number of cached providers; 1000 by default. Others are created at their next request. */
  readonly ready?: number | undefined
  /** Seconds after which a found issuer is looked up again; 60 by default. */
  readonly refresh?: number | undefined
}
