import { ask, asking, cibaGrant } from "../support/asking.ts"
import type { Said } from "../support/visitor.ts"
import type { World } from "../support/world.ts"
import { type Case, type Expectation, refused } from "./case.ts"

/** A world in which a client must send the code that its person has chosen. */
const options = asking(
  { checkUserCode: (subject, code) => subject === "sub-alice" && code.reveal() === "1234" },
  ["sends-codes", "till-1", "till-2", "till-3", "till-4", "till-5"].map((client_id) => ({
    client_id,
    client_secret: `secret of ${client_id}`,
    grant_types: [cibaGrant],
    response_types: [],
    scope: "openid email",
    backchannel_token_delivery_mode: "poll",
    backchannel_user_code_parameter: true,
  })),
)

const asks = (w: World, user_code: string | undefined, more: Readonly<Record<string, string>> = {}, by = "sends-codes"): Promise<Said> =>
  ask(w, by, { user_code, ...more })

const row = (title: string, rule: string | undefined, run: Case["run"], expect: Expectation): Case => ({
  title,
  rule,
  options,
  run,
  expect,
})

const asked: Expectation = { status: 200, json: { expires_in: 300 } }
const wrong = refused("invalid_user_code", "The user_code is not valid.")
const tooMany: Expectation = refused("temporarily_unavailable", "Too many user codes were tried.", 429)

const guesses = async (w: World, count: number, by?: string): Promise<void> => {
  for (let at = 0; at < count; at++) await asks(w, String(at).padStart(4, "0"), {}, by)
}

/** Guesses of five clients, five of each but of the last. */
const guessesOfFive = async (w: World, last: number): Promise<void> => {
  for (let at = 1; at <= 5; at++) await guesses(w, at === 5 ? last : 5, `till-${at}`)
}

/** Codes by which people keep strangers from prompting them: CIBA Core §7.1, §13. */
export const cases: ReadonlyArray<Case> = [
  row("CIBA Core §7.1: with the person's code a request is taken", undefined, (w) => asks(w, "1234"), asked),
  row(
    "CIBA Core §13: a client that sends user codes asks nobody without one",
    "ciba.user-code-present",
    (w) => asks(w, undefined),
    refused("missing_user_code", "The user_code is missing."),
  ),
  row("CIBA Core §13: nor with a wrong one", "ciba.user-code", (w) => asks(w, "1235"), wrong),
  row("CIBA Core §13: nor with another person's", "ciba.user-code", (w) => asks(w, "1234", { login_hint: "sub-bob" }), wrong),
  row(
    "CIBA Core §14: after five wrong codes not even the right one is judged",
    "ciba.user-code-attempts",
    async (w) => {
      await guesses(w, 5)
      return asks(w, "1234")
    },
    tooMany,
  ),
  row(
    "CIBA Core §14: guesses that come at once are counted before they are judged",
    "ciba.user-code-attempts",
    async (w) => {
      await Promise.all(Array.from({ length: 16 }, (_, at) => asks(w, String(at).padStart(4, "0"))))
      return asks(w, "1234")
    },
    tooMany,
  ),
  row(
    "CIBA Core §14: after twenty-five wrong codes of all clients together no client's right one is judged",
    "ciba.user-code-person-attempts",
    async (w) => {
      await guessesOfFive(w, 5)
      return asks(w, "1234")
    },
    tooMany,
  ),
  row(
    "CIBA Core §14: with the twenty-fifth try it still is, and a right one takes its own try back alone",
    "ciba.user-code-person-attempts",
    async (w) => {
      await guessesOfFive(w, 4)
      const right = await asks(w, "1234")
      await guesses(w, 1)
      const last = await asks(w, "1234")
      return { ...last, json: { ...last.json, before: right.status } }
    },
    { ...tooMany, json: { ...tooMany.json, before: 200 } },
  ),
  row(
    "CIBA Core §14: tries are counted for fifteen minutes",
    undefined,
    async (w) => {
      await guessesOfFive(w, 5)
      w.pass(900)
      return asks(w, "1234")
    },
    asked,
  ),
  row(
    "CIBA Core §14: a right code forgets the wrong ones before it",
    undefined,
    async (w) => {
      await guesses(w, 4)
      await asks(w, "1234")
      await guesses(w, 4)
      return asks(w, "1234")
    },
    asked,
  ),
  row(
    "CIBA Core §14: guesses at one person's code keep nobody from another's",
    "ciba.user-code",
    async (w) => {
      await guesses(w, 5)
      return asks(w, "0000", { login_hint: "sub-bob" })
    },
    wrong,
  ),
  {
    ...row(
      "CIBA Core §4: where the provider knows no codes, nothing comes of a client's word that it sends them",
      undefined,
      (w) => asks(w, undefined),
      asked,
    ),
    options: { ...options, more: { ...options.more, ...asking().more } },
  },
  row("CIBA Core §7.1: what other clients send as user_code is ignored", undefined, (w) => ask(w, "till", { user_code: "x" }), asked),
]
