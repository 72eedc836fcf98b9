import { authenticationRequests } from "@postern/core"
import fc from "fast-check"
import { expect, test } from "vitest"
import { answer } from "../cases/interactions.ts"
import { atApproval, ownApprovals, scopesOf } from "../cases/cibaOwnPages.ts"
import { ask, locatorOf, poll } from "../support/asking.ts"
import { signedIn } from "../support/flows.ts"
import { world } from "../support/world.ts"
import { runs } from "../tiers/tier.ts"

const anything = fc.oneof(
  fc.constant(undefined),
  fc.constant(null),
  fc.boolean(),
  fc.integer(),
  fc.string(),
  fc.array(fc.oneof(fc.string(), fc.constantFrom("openid", "email", "api.read", "offline_access"), fc.integer()), { maxLength: 4 }),
  fc.dictionary(fc.string(), fc.string(), { maxKeys: 3 }),
)

/** Parts of an answer; `mine` stands for what the page was told. */
const mostly = <A, B>(usual: fc.Arbitrary<A>, other: fc.Arbitrary<B>) =>
  fc.oneof({ weight: 5, arbitrary: usual }, { weight: 1, arbitrary: other })
const rarely = mostly(fc.constant(undefined), anything)

const answers = fc.record({
  csrf: mostly(fc.constant("mine"), fc.oneof(fc.constantFrom("other's", "nobody's"), anything)),
  consent: mostly(fc.constant({ scopes: "mine" }), fc.oneof(fc.record({ scopes: anything, details: anything }), anything)),
  deny: rarely,
  signIn: rarely,
  error: rarely,
  interaction: mostly(fc.constant("mine"), fc.oneof(fc.constant("other's"), anything)),
  as: mostly(fc.constant("alice"), fc.constant("bob")),
  from: mostly(fc.constant("own"), fc.constant("other")),
})

const isGiven = (value: unknown): boolean => value !== undefined && value !== false

test(
  "CIBA Core §8, RFC 6749 §10.12, as a property: whatever an embedder's page is made to answer, a request is approved by its person alone, with their token, for what it asks",
  { timeout: 120_000 },
  async () => {
    const met = { approved: 0, not: 0 }
    await fc.assert(
      fc.asyncProperty(answers, async ({ csrf, consent, deny, signIn, error, interaction, as, from }) => {
        const w = await world(ownApprovals)
        const request = await ask(w)
        const alice = await atApproval(w, request)
        const bob = await atApproval(w, await ask(w, "till", { login_hint: "sub-bob" }), await signedIn(w, "bob"))
        const [at, other] = as === "alice" ? [alice, bob] : [bob, alice]
        const isMine = consent !== null && typeof consent === "object" && "scopes" in consent && consent["scopes"] === "mine"
        const given = {
          csrf: csrf === "mine" ? at.state.csrf : csrf === "other's" ? other.state.csrf : csrf,
          interaction: interaction === "mine" ? at.state.interaction : interaction === "other's" ? other.state.interaction : interaction,
          ...(consent === undefined ? {} : { consent: isMine ? { scopes: scopesOf(at) } : consent }),
          ...(deny === undefined ? {} : { deny }),
          ...(signIn === undefined ? {} : { signIn }),
          ...(error === undefined ? {} : { error }),
        }
        const site = from === "own" ? {} : { origin: "https://evil.example", "sec-fetch-site": "cross-site" }
        const { status } = await answer(w, at, given, "POST", site)
        expect(status).toBeLessThan(500)
        const row = await w.tokens.find(authenticationRequests, { locator: locatorOf(request) })
        // A handle that is no text is read from the address of the page.
        const isHandle = interaction === "mine" || typeof interaction !== "string"
        const sound =
          as === "alice" && from === "own" && csrf === "mine" && isHandle && !isGiven(deny) && !isGiven(signIn) && !isGiven(error)
        const whole = isMine || (Array.isArray(scopesIn(consent)) && isWhole(scopesIn(consent) as ReadonlyArray<unknown>, consent))
        expect(row?.state === "approved").toBe(sound && isGiven(consent) && whole)
        if (row?.state === "approved") met.approved++
        else {
          met.not++
          expect((await poll(w, request)).status).toBe(400)
        }
      }),
      { numRuns: runs(300) },
    )
    // Both are met, or this proves little.
    expect(Math.min(met.approved, met.not)).toBeGreaterThan(runs(300) / 100)
  },
)

const scopesIn = (consent: unknown): unknown =>
  typeof consent === "object" && consent !== null && "scopes" in consent ? consent.scopes : undefined

/** A list that happens to be what was asked for, without details that were not. */
const isWhole = (scopes: ReadonlyArray<unknown>, consent: unknown): boolean => {
  const { details } = consent as { readonly details?: unknown }
  return (
    scopes.every((each) => each === "openid" || each === "email") &&
    scopes.includes("openid") &&
    scopes.includes("email") &&
    (details === undefined || (Array.isArray(details) && details.length === 0))
  )
}
