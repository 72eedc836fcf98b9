import type { Misbehavior } from "./misbehavior.ts"

/** A sign-in that a client began. */
export interface SignIn {
  readonly client: string
  /** The parameters of its authorization request, or of its device authorization request. */
  readonly asked: URLSearchParams
  readonly misbehavior: Misbehavior | undefined
}

/** The most sign-ins, codes and tokens that are remembered; the oldest are forgotten. */
const most = 10_000

/** Sign-ins by everything that later requests name them by: several of one client may be under way. */
export class SignIns {
  readonly #by = new Map<string, SignIn>()
  readonly #spent = new Set<string>()
  #latest: SignIn | undefined

  /** Remembers a sign-in that has begun. Its response is found by the state, or else as the client's latest. */
  begin(signIn: SignIn): void {
    this.#latest = signIn
    this.name(`client ${signIn.client}`, signIn)
    this.name(`state ${signIn.client} ${signIn.asked.get("state") ?? ""}`, signIn)
  }

  /** Remembers a name of a sign-in: a code, a token. */
  name(name: string, signIn: SignIn | undefined): void {
    if (signIn === undefined) return
    this.#by.delete(name)
    this.#by.set(name, signIn)
    const [oldest] = this.#by.keys()
    if (this.#by.size > most && oldest !== undefined) this.#by.delete(oldest)
  }

  /** The sign-in of a name. */
  of(name: string): SignIn | undefined {
    return this.#by.get(name)
  }

  /** The sign-in that an authorization response with this state belongs to. */
  returning(client: string, state: string | null): SignIn | undefined {
    return this.of(`state ${client} ${state ?? ""}`) ?? this.of(`client ${client}`)
  }

  /** The sign-in that began last, whoever's it is. */
  latest(): SignIn | undefined {
    return this.#latest
  }

  /** Remembers a code or token that was presented, and reports whether it had been before. */
  spend(name: string): boolean {
    const again = this.#spent.has(name)
    this.#spent.add(name)
    const [oldest] = this.#spent
    if (this.#spent.size > most && oldest !== undefined) this.#spent.delete(oldest)
    return again
  }
}
