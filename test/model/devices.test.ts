import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { patient } from "../properties/arbitraries.ts"
import { post, signedIn } from "../support/flows.ts"
import { type Said } from "../support/visitor.ts"
import { actor } from "./actor.ts"
import { inTurn } from "./racing.ts"
import { stores } from "./stores.ts"

const grantType = "urn:ietf:params:oauth:grant-type:device_code"

/** What a device is told when it asks for its tokens. */
const toldOf = ({ status, json }: Said): string => (status === 200 ? "tokens" : String(json?.["error"]))

for (const { name, open, runs } of stores) {
  describe(`races of a device: ${name}`, () => {
    test(
      "RFC 8628 §3.4, §3.5: polled while one person allows it and another denies it, one decision counts, and its tokens are given once",
      patient,
      async () => {
        const seen = new Map<string, number>()
        const polls = fc.integer({ min: 1, max: 4 })
        const decisions = fc.constantFrom<ReadonlyArray<"allow" | "deny">>(
          ["allow", "deny"],
          ["allow", "allow"],
          ["deny", "allow"],
          ["allow"],
        )
        await fc.assert(
          fc.asyncProperty(polls, decisions, fc.boolean(), fc.scheduler(), async (count, wanted, allowedBefore, scheduler) => {
            const subject = await open()
            try {
              const turns = inTurn(scheduler)
              const { world } = await actor(subject, turns.between)
              const begun = await post(world, "/connect/deviceauthorization", "tv", {})
              const [deviceCode, userCode] = [String(begun.json?.["device_code"]), String(begun.json?.["user_code"])]
              const poll = (): Promise<Said> => post(world, "/connect/token", "tv", { grant_type: grantType, device_code: deviceCode })
              const people = await Promise.all(
                wanted.map(async (decision, at) => {
                  const visitor = await signedIn(world, at === 0 ? "alice" : "bob")
                  const { page } = await visitor.get("/device", { user_code: userCode })
                  return { decision, decide: () => visitor.submit(page, [["decision", decision]]) }
                }),
              )
              if (allowedBefore && wanted[0] === "allow") await people[0]?.decide()
              const late = allowedBefore && wanted[0] === "allow" ? people.slice(1) : people
              const answers = await turns.race([...late.map(({ decide }) => decide), ...Array.from({ length: count }, () => poll)])
              const told = answers.slice(late.length).map(toldOf)
              for (const each of told) seen.set(each, (seen.get(each) ?? 0) + 1)
              expect(told.filter((each) => each === "tokens").length).toBeLessThanOrEqual(1)
              // Too many in each other's way, three times over: 503, and nothing was done.
              const known = ["tokens", "authorization_pending", "slow_down", "access_denied", "invalid_grant", "temporarily_unavailable"]
              for (const each of told) expect(known).toContain(each)
              // Whatever was decided is decided: nobody is told both.
              expect(told.includes("tokens") && told.includes("access_denied")).toBe(false)
              const decided = late.length < people.length || answers.slice(0, late.length).some(({ status }) => status < 400)
              world.pass(60)
              const after = toldOf(await poll())
              seen.set(`after: ${after}`, (seen.get(`after: ${after}`) ?? 0) + 1)
              if (told.includes("tokens")) expect(after).toBe("invalid_grant")
              else if (!decided) expect(after).toBe("authorization_pending")
              else if (told.includes("access_denied")) expect(after).not.toBe("tokens")
              else if (wanted.includes("deny")) expect(["tokens", "access_denied"]).toContain(after)
              else expect(after).toBe("tokens")
              world.pass(60)
              if (after === "tokens" || after === "access_denied") expect(toldOf(await poll())).not.toBe("tokens")
            } finally {
              await subject.close()
            }
          }),
          { numRuns: runs },
        )
        for (const kind of ["tokens", "after: tokens", "after: access_denied"]) expect(seen.get(kind) ?? 0, kind).toBeGreaterThan(0)
      },
    )
  })
}
