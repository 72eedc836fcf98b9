import { createHash } from "node:crypto"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { authorize, redeem, signedIn, userinfo } from "../support/flows.ts"
import { runs } from "../tiers/tier.ts"
import { anyText, nearly, patient, verifierText } from "./arbitraries.ts"
import { quickWorld } from "./quickWorld.ts"

const sha256 = (text: string): string => createHash("sha256").update(text).digest("base64url")

/** One try to redeem: what is wrong with it, if anything. */
interface Try {
  readonly verifier: string | undefined
  readonly client: "web" | "other" | "spa"
  readonly redirectUri: string | undefined
}

const registered = "https://app.example/cb"
const tries = (verifier: string): fc.Arbitrary<ReadonlyArray<Try>> =>
  fc.array(
    fc.record({
      verifier: fc.oneof(
        { weight: 3, arbitrary: fc.constant(verifier) },
        nearly(verifier),
        verifierText,
        fc.constantFrom(sha256(verifier), undefined),
        anyText,
      ),
      client: fc.oneof({ weight: 5, arbitrary: fc.constant("web" as const) }, fc.constantFrom("other" as const, "spa" as const)),
      redirectUri: fc.oneof(
        { weight: 5, arbitrary: fc.constant(registered) },
        nearly(registered),
        fc.constantFrom("https://app.example/cb?tab=1", undefined),
      ),
    }),
    { minLength: 1, maxLength: 6 },
  )

describe("codes", () => {
  test(
    "RFC 6749 §4.1.2, §4.1.3, RFC 7636 §4.6: of any tries only the first with the right client, redirect_uri and verifier redeems a code, and a later one by that client undoes it",
    patient,
    async () => {
      const seen = { redeemed: 0, replayed: 0, refused: 0 }
      const generated = verifierText.chain((verifier) => fc.record({ verifier: fc.constant(verifier), sent: tries(verifier) }))
      await fc.assert(
        fc.asyncProperty(generated, async ({ verifier, sent }) => {
          const w = quickWorld()
          const visitor = await signedIn(w)
          const { params } = await authorize(visitor, "web", { code_challenge: sha256(verifier) })
          let access: string | undefined
          let replayed = false
          for (const each of sent) {
            const answer = await redeem(w, params["code"] ?? "", each.client, {
              code_verifier: each.verifier,
              redirect_uri: each.redirectUri,
            })
            const right = each.client === "web" && each.redirectUri === registered && each.verifier === verifier
            if (right && access === undefined) {
              expect(answer.status).toBe(200)
              access = String(answer.json?.["access_token"])
              seen.redeemed++
              continue
            }
            expect([answer.status, answer.json?.["error"]]).toEqual([400, "invalid_grant"])
            replayed ||= access !== undefined && each.client === "web"
            seen.refused++
          }
          if (access === undefined) return
          seen.replayed += replayed ? 1 : 0
          expect((await userinfo(w, access)).status).toBe(replayed ? 401 : 200)
        }),
        { numRuns: runs(1000) },
      )
      for (const count of Object.values(seen)) expect(count).toBeGreaterThan(runs(100, 5))
    },
  )

  test(
    "RFC 9700 §2.1.1, RFC 7636 §4.4.1: where PKCE is left to the client, a code takes just the verifier its request bound it to, or none",
    patient,
    async () => {
      const method = fc.constantFrom("S256", "plain", undefined)
      const made = fc.tuple(fc.option(verifierText, { nil: undefined }), method).chain(([verifier, how]) =>
        fc.record({
          verifier: fc.constant(verifier),
          how: fc.constant(how),
          shown: fc.oneof(
            fc.constant(verifier),
            verifierText,
            fc.constant(undefined),
            verifier === undefined ? fc.constant(undefined) : nearly(verifier),
          ),
        }),
      )
      let redeemed = 0
      await fc.assert(
        fc.asyncProperty(made, async ({ verifier, how, shown }) => {
          const w = quickWorld()
          const challenge = verifier === undefined ? undefined : how === "S256" ? sha256(verifier) : verifier
          const { params } = await authorize(await signedIn(w), "old", {
            code_challenge: challenge,
            code_challenge_method: verifier === undefined ? undefined : how,
          })
          const answer = await redeem(w, params["code"] ?? "", "old", { code_verifier: shown })
          expect(answer.status).toBe(shown === verifier ? 200 : 400)
          if (shown !== verifier) expect(answer.json?.["error"]).toBe("invalid_grant")
          else redeemed++
        }),
        { numRuns: runs(1000) },
      )
      expect(redeemed).toBeGreaterThan(runs(100, 5))
    },
  )
})
