import { beforeAll, describe, expect, test } from "vitest"
import { patient } from "../properties/arbitraries.ts"
import { full, runs } from "../tiers/tier.ts"
import { type Bench, type Who, bench, tally } from "./bench.ts"
import { faults } from "./faults.ts"
import { type Kind, kinds } from "./kinds.ts"
import { fitting, ordered, proofs, requestOf, responseModes, responseTypes, usual } from "./requests.ts"

/** `POSTERN_MATRIX=all` asks every fault with every type and mode of every client, and every pair: some minutes instead of seconds. */
const all = process.env["POSTERN_MATRIX"] === "all"
const people: ReadonlyArray<Who> = ["stranger", "person"]
const scopes = (type: string): ReadonlyArray<string> => [
  ...new Set([fitting(type), "openid profile email", "api.read billing", "openid phone api.write offline_access"]),
]
const forms = responseTypes.flatMap((type) => responseModes.map((mode) => ({ type, mode })))
/** The rows of a matrix that a client has its part of; all of them in the full tier. Outside of it each client has a quarter of its own. */
const part = <A>(of: ReadonlyArray<A>, place: number): ReadonlyArray<A> => of.filter((_, at) => full || (at + place) % 4 === 0)
const turn = <A>(of: ReadonlyArray<A>, at: number): A => of[at % of.length] as A

describe.each(kinds.map((kind, at) => [kind.name, kind, at] as const))("authorize, a %s", (_, kind: Kind, place) => {
  let here: Bench
  beforeAll(async () => {
    here = await bench(kind)
  })

  test(
    "specification §2.1: every type, mode, standing, prompt=none or not, kinds of scope, with nonce and state and without",
    patient,
    async () => {
      const whoever = kind.client?.require_consent === false ? people : [...people, "willing" as const]
      for (const form of part(forms, place))
        for (const who of whoever)
          for (const prompt of [undefined, "none"])
            for (const scope of scopes(form.type))
              for (const [nonce, state] of [["n-0S6", "af0if"], []])
                await here.ask(who, requestOf(kind, { ...form, prompt, scope, nonce, state }))
      expect(here.disagreements()).toEqual([])
    },
  )

  test(
    "RFC 6749 §3.1.1: the words of a response type in any order; OpenID Connect Core §3.1.2.1: by GET and by POST",
    patient,
    async () => {
      for (const type of part(ordered, place))
        for (const mode of responseModes)
          for (const method of ["GET", "POST"] as const) await here.ask("willing", requestOf(kind, usual(type, { mode })), "", method)
      expect(here.disagreements()).toEqual([])
    },
  )

  test("RFC 7636 §4.3, §4.4.1: every response type with every way to send a code_challenge, and every prompt", patient, async () => {
    for (const type of part(responseTypes, place))
      for (const proof of proofs)
        for (const [at, prompt] of [undefined, "none", "login", "consent", "select_account", "create"].entries())
          await here.ask(
            turn(["willing", "person", "willing", "person", "stranger"], at + proofs.indexOf(proof)),
            requestOf(kind, usual(type, { proof, prompt })),
          )
    expect(here.disagreements()).toEqual([])
  })

  test(
    "RFC 6749 §4.1.2.1, OpenID Connect Core §3.1.2.6: every fault, over all clients with every response type and mode",
    patient,
    async () => {
      // Two forms of each fault for a client, others for the next one: over all of them every form has its turn.
      for (const [at, fault] of part([...faults.entries()], place))
        for (let step = 0; step < (all ? forms.length : 2); step++) {
          const who = turn(["willing", "willing", "willing", "person", "stranger"] as const, at + step)
          const prompt = turn([undefined, undefined, "none"], at + place)
          const choice = usual("", { ...turn(forms, at + 2 * place + step), prompt })
          await here.ask(who, fault.on(requestOf(kind, { ...choice, scope: fitting(choice.type) }), kind), fault.name)
        }
      expect(here.disagreements()).toEqual([])
    },
  )

  test("RFC 6749 §4.1.2.1: of two faults, one of the client or the redirect_uri is a page whatever the other is", patient, async () => {
    // Each client has pairs of its own: together all there are, or else one in thirteen, and outside of the full tier one in fifty.
    const step = all ? kinds.length : runs(223, 4 * 223)
    for (let pair = place; pair < faults.length ** 2; pair += step) {
      const [first, second] = [turn(faults, Math.floor(pair / faults.length)), turn(faults, pair)]
      const request = requestOf(kind, usual(turn(responseTypes, pair), { mode: turn(responseModes, Math.floor(pair / 7)) }))
      await here.ask("willing", second.on(first.on(request, kind), kind), `${first.name}; ${second.name}`)
    }
    expect(here.disagreements()).toEqual([])
  })
})

test("no corner of the matrix is empty: thousands of requests, and every answer there is was called for", () => {
  expect(tally.get("requests")).toBeGreaterThan(runs(10_000))
  const errors = [
    "invalid_request",
    "invalid_scope",
    "invalid_target",
    "unauthorized_client",
    "unsupported_response_type",
    "login_required",
    "consent_required",
    "registration_not_supported",
  ]
  const answers = ["success", "page", "ask login", "ask consent", ...errors.map((error) => `error ${error}`)]
  expect(answers.filter((name) => (tally.get(name) ?? 0) < runs(20))).toEqual([])
})
