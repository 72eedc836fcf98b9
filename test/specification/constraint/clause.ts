import { type Shown, from } from "../line.ts"

/** A clause of the standards of bound tokens and of FAPI, in short: the rules that refuse whatever would break it, and the tests that show it. */
export interface Clause {
  /** A name of this list, such as `DA-6`: a group and a number, or what the standard calls it. */
  readonly id: string
  /** The paragraph. */
  readonly cites: string
  /** The demand, in short. */
  readonly text: string
  /** Ids of rules, of the provider or of `@postern/verify`. Each has a case that shows it refusing. */
  readonly rules: ReadonlyArray<string>
  /** Requirements of `postern conform`, of sets that a running provider of ours breaks nothing of. */
  readonly asked: ReadonlyArray<string>
  /** Tests that show the rest of it: what passes, what is answered, what is kept. */
  readonly tests: ReadonlyArray<Shown>
  /** Decision where no rule decides. */
  readonly reason: string | undefined
}

interface Decided {
  /** Ids of rules that stand apart by spaces. */
  readonly rules?: string
  /** Ids of requirements that stand apart by spaces. */
  readonly asked?: string
  readonly tests?: ReadonlyArray<Shown>
  readonly reason?: string
}

const words = (text = ""): ReadonlyArray<string> => text.split(/\s+/).filter((each) => each !== "")

/** Makes a clause. */
export const clause = (id: string, cites: string, text: string, { rules, asked, tests = [], reason }: Decided): Clause => ({
  id,
  cites,
  text,
  rules: words(rules),
  asked: words(asked),
  tests,
  reason,
})

const cases = (name: string) => from(`test/cases/${name}.ts`)

export const [ciba, confirmation, contexts, dpop, fapi, jarm, mutualTls, pushed, details] = [
  cases("ciba"),
  cases("confirmation"),
  cases("contexts"),
  cases("dpop"),
  cases("fapi"),
  cases("jarm"),
  cases("mutualTls"),
  cases("pushedRequests"),
  cases("richAuthorization"),
]
export const assertions = cases("clientAssertions")
export const requestObjects = cases("requestObjects")
export const proofs = from("test/core/dpop.test.ts")
export const bound = from("test/core/confirmation.test.ts")
export const granted = from("test/core/richAuthorization.test.ts")
export const api = from("test/verify/rules.test.ts")
export const apiProofs = from("test/verify/proofs.test.ts")
export const plans = from("test/verify/fapi2.test.ts")
export const nginx = from("test/http/nginxCertificates.test.ts")
