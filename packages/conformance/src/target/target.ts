import type { Recipe } from "./recipe.ts"
import type { Received, Sent } from "../exchange/exchange.ts"
import type { RoleClient, RoleName } from "./roles.ts"
import type { Hand, Renderer } from "./visiting.ts"
import type { Posted, Publisher } from "./web.ts"

/** A person who can sign in at the target. */
export interface Person {
  readonly username: string
  readonly password: string
  /** The code that a client must send to ask them on their own device (CIBA Core §7.1), where they have one. */
  readonly user_code?: string | undefined
}

/** A provider under test. */
export interface Target {
  /** The issuer identifier, as the tester states it. */
  readonly issuer: string
  readonly clients: Readonly<Partial<Record<RoleName, RoleClient>>>
  /** The person who signs in; nobody can when not given. */
  readonly person: Person | undefined
  /** The ways through the target's pages. */
  readonly recipe: Recipe
  /** Runs the scripts of pages that need it; not given where no page does. */
  readonly renderer?: Renderer | undefined
  /** A person who goes through the pages; the recipe is not used then. */
  readonly hand?: Hand | undefined
  /** Sends a request without following redirects. Rejects with `Unreachable`. */
  readonly send: (sent: Sent) => Promise<Received>
  /** The target's time, in seconds since 1970. */
  readonly now: () => number
  /** Moves the target's clock on by so many seconds; not given where the clock is not under control. */
  readonly pass?: ((seconds: number) => Promise<void>) | undefined
  /** The logout tokens that a client has received, oldest first. Not given where nobody listens for them. */
  readonly logouts?: ((client: RoleClient) => ReadonlyArray<string>) | undefined
  /** The results of CIBA requests that a client was sent, oldest first; undefined for a client that nobody listens for. Not given where nobody listens at all. */
  readonly notices?: ((client: RoleClient) => ReadonlyArray<Posted> | undefined) | undefined
  /** A place for documents of clients that the target can reach; not given where there is none. */
  readonly publisher?: Publisher | undefined
  /** The trail of an answer: which rules passed, and which refused. Not given where the target keeps none. */
  readonly trail?: ((received: Received) => string | undefined) | undefined
}

/** A target to open: a new one for each requirement, or one for all of them. */
export interface Opening {
  /** The name of the target in reports. */
  readonly name: string
  /** Opens it. */
  readonly open: () => Promise<Target>
  /** True where each requirement has a target of its own. */
  readonly fresh: boolean
}

/** The target did not answer, or not within its time. */
export class Unreachable extends Error {
  override readonly name = "Unreachable"
}

/** A requirement could not be tried, since something before it did not work. */
export class Inconclusive extends Error {
  override readonly name = "Inconclusive"
  /** The answers that show it. */
  readonly exchanges: ReadonlyArray<Received>
  constructor(message: string, ...exchanges: ReadonlyArray<Received>) {
    super(message)
    this.exchanges = exchanges
  }
}

/** A requirement cannot be tried in the way in which this run is made: it is skipped. */
export class Untried extends Error {
  override readonly name = "Untried"
}
