import type { Awaitable } from "../../ports/index.ts"
import type { ProviderOptions, ProviderPorts } from "../options.ts"
import type { IssuerForm } from "./address.ts"

/** One of several issuers: whatever it does not have of its own is as the providers have it. */
export interface IssuerOptions extends Partial<Omit<ProviderOptions, "issuer">>, Partial<ProviderPorts> {
  /** The issuer identifier: an https URL without query or fragment, byte for byte as clients compare it (RFC 8414 §2). No other issuer has its host and path. */
  readonly issuer: string
  /**
   * The name of the people, for guesses of their passwords: these are counted together at all issuers that have one. That of the issuer when it has an authenticator of its
   * own, and otherwise one for all that share theirs.
   */
  readonly people?: string | undefined
  /**
   * True for the one issuer whose rows carry no name: it goes on with a store that served it alone before. Whatever it is called then, its rows are found
   * as long as this is set.
   */
  readonly unnamedRows?: boolean | undefined
}

/** An issuer that was looked up. */
export interface FoundIssuer extends IssuerOptions {
  /** Its name, which marks its rows: 1 to 32 lower-case letters, digits and dashes, never given to another issuer. */
  readonly name: string
}

/** The issuer that is looked up: that of a request, or the one whose name a row carries. */
export type IssuerSought =
  | { /** The issuer identifier. */ readonly issuer: string }
  | { /** The name that marks rows; empty for rows without a name, which are of the issuer with `unnamedRows`. */ readonly name: string }

/** The issuers of one process, and all that they share: any setting and any port of a provider. */
export interface ProvidersOptions extends Partial<Omit<ProviderOptions, "issuer">>, Partial<ProviderPorts> {
  /** Issuers by their names, which mark their rows: 1 to 32 lower-case letters, digits and dashes, never given to another issuer. */
  readonly issuers?: Readonly<Record<string, IssuerOptions>> | undefined
  /**
   * Finds an issuer that `issuers` does not have, such as in a database; undefined where there is none. A request waits for it, and all requests for one issuer wait
   * together; a rejection, or no answer within ten seconds, is answered `temporarily_unavailable`, unless the issuer is there from before.
   */
  readonly find?: ((sought: IssuerSought) => Awaitable<FoundIssuer | undefined>) | undefined
  /** The form of issuers that `find` is asked for: an https host and one segment when not given. */
  readonly form?: IssuerForm | undefined
  /** Number of providers that are kept ready; 1000 when not given. Others are made at their next request. */
  readonly ready?: number | undefined
  /** Seconds after which an issuer that was found is looked up again; 60 when not given. */
  readonly refresh?: number | undefined
}
