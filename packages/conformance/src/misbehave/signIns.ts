import type { Misbehavior } from "./misbehavior.ts"

/** A sign-in that a client started. */
export interface SignIn {
  readonly client: string
  /** The parameters of the request that started it. */
  readonly asked: URLSearchParams
  readonly misbehavior: Misbehavior | undefined
}

/** The maximum sign-ins, codes and tokens to remember. The oldest are forgotten. */
const most = 10_000

/** Sign-ins by the values that later requests name, because a client may have several in progress. */
export class SignIns {
  readonly #by = new Map<string, SignIn>()
  readonly #spent = new Set<string>()
  #latest: SignIn | undefined

  /** Remembers a sign-in that has started. Its response is matched by `state`, or else with the client's latest sign-in. */
  begin(signIn: SignIn): void {
    this.#latest = signIn
    this.name(`client ${signIn.client}`, signIn)
    this.name(`state ${signIn.client} ${signIn.asked.get("state") ?? ""}`, signIn)
  }

  /** Remembers a code or a token of a sign-in. */
  name(name: string, signIn: SignIn | undefined): void {
    if (signIn === undefined) return
    this.#by.delete(name)
    this.#by.set(name, signIn)
    const [oldest] = this.#by.keys()
    if (this.#by.size > most && oldest !== undefined) this.#by.delete(oldest)
  }

  /** The sign-in with a name. */
  of(name: string): SignIn | undefined {
    return this.#by.get(name)
  }

  /** The sign-in that the authorization response with this state belongs to. */
  returning(client: string, state: string | null): SignIn | undefined {
    return this.of(`state ${client} ${state ?? ""}`) ?? this.of(`client ${client}`)
  }

  /** The sign-in that started last, for any client. */
  latest(): SignIn | undefined {
    return this.#latest
  }

  /** Marks a code or token as presented, and reports whether it was presented before. */
  spend(name: string): boolean {
    const again = this.#spent.has(name)
    this.#spent.add(name)
    const [oldest] = this.#spent
    if (this.#spent.size > most && oldest !== undefined) this.#spent.delete(oldest)
    return again
  }
}
