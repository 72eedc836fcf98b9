import type { Recipe } from "./recipe.ts"
import type { Received, Sent } from "../exchange/exchange.ts"
import type { RoleClient, RoleName } from "./roles.ts"
import type { Hand, Renderer } from "./visiting.ts"
import type { Posted, Publisher } from "./web.ts"

/** A person who can sign in at the target. */
export interface Person {
  readonly username: string
  readonly password: string
  /** The user code that a CIBA client must send for this person (CIBA Core §7.1), if they have one. */
  readonly user_code?: string | undefined
}

/** A provider under test. */
export interface Target {
  /** The issuer identifier that the tester entered. */
  readonly issuer: string
  readonly clients: Readonly<Partial<Record<RoleName, RoleClient>>>
  /** The person who signs in; undefined if nobody can. */
  readonly person: Person | undefined
  /** The recipes of the target's pages. */
  readonly recipe: Recipe
  /** Runs the scripts of pages that need JavaScript; undefined if no page does. */
  readonly renderer?: Renderer | undefined
  /** A person who passes the pages. The recipe is then not used. */
  readonly hand?: Hand | undefined
  /** Sends a request without following redirects. Rejects with `Unreachable`. */
  readonly send: (sent: Sent) => Promise<Received>
  /** The target's time, in seconds since 1970. */
  readonly now: () => number
  /** Advances the target's clock by seconds; undefined if the clock is not controllable. */
  readonly pass?: ((seconds: number) => Promise<void>) | undefined
  /** The logout tokens that a client has received, oldest first; undefined if the test does not listen for them. */
  readonly logouts?: ((client: RoleClient) => ReadonlyArray<string>) | undefined
  /**
   * The notices of CIBA results that a client has received, oldest first. Undefined for a client whose endpoint the test does not listen
   * at, or if it does not listen at all.
   */
  readonly notices?: ((client: RoleClient) => ReadonlyArray<Posted> | undefined) | undefined
  /** A publisher of clients' documents that the target can reach; undefined if there is none. */
  readonly publisher?: Publisher | undefined
  /** The trail of a response: the rules that passed, and those that refused. Undefined if the target keeps none. */
  readonly trail?: ((received: Received) => string | undefined) | undefined
}

/** A target to open, for each requirement or once for all of them. */
export interface Opening {
  /** The target's name in reports. */
  readonly name: string
  /** Opens the target. */
  readonly open: () => Promise<Target>
  /** True if each requirement gets a new target. */
  readonly fresh: boolean
}

/** The target did not answer, or not in time. */
export class Unreachable extends Error {
  override readonly name = "Unreachable"
}

/** A requirement could not be tried, because an earlier step did not work. */
export class Inconclusive extends Error {
  override readonly name = "Inconclusive"
  /** The responses that show the cause. */
  readonly exchanges: ReadonlyArray<Received>
  constructor(message: string, ...exchanges: ReadonlyArray<Received>) {
    super(message)
    this.exchanges = exchanges
  }
}

/** A requirement cannot be tried in this kind of run, so it is skipped. */
export class Untried extends Error {
  override readonly name = "Untried"
}
