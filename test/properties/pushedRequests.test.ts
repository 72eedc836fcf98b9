import fc from "fast-check"
import { expect, test } from "vitest"
import { signIn } from "../support/flows.ts"
import { type Said, said } from "../support/visitor.ts"
import { runs } from "../tiers/tier.ts"
import { patient } from "./arbitraries.ts"
import { quickWorld } from "./quickWorld.ts"
import { type Pairs, authorizeRequest, clientMetadata } from "./requests.ts"

const form = (pairs: Pairs): string => new URLSearchParams(pairs.map(([name, value]) => [name, value])).toString()

/** Reads the parameters of an answer to the client, in its query, its fragment or its form. */
const toldBy = ({ page, header }: Said): Readonly<Record<string, unknown>> => {
  if (page?.["_tag"] === "FormPost") return Object.fromEntries(page["fields"] as Pairs)
  const pairs = (header("location") ?? "").split(/[?#]/).slice(1)
  return Object.fromEntries(pairs.flatMap((text) => [...new URLSearchParams(text)]))
}

const errorOf = (answer: Said): unknown => toldBy(answer)["error"] ?? answer.page?.["error"]

/** The parts of an answer that do not depend on chance: where it goes, or its page, and the error. */
const kind = (answer: Said): ReadonlyArray<unknown> => {
  const { state, tab } = toldBy(answer)
  return [answer.status, answer.to?.replace(/[?#].*$/, ""), answer.page?.["_tag"], errorOf(answer), state, tab]
}

const generated = clientMetadata("app").chain((client) =>
  fc.record({
    client: fc.constant({ ...client, disabled: false }),
    sent: authorizeRequest(client).map((pairs) => pairs.filter(([name]) => !["client_id", "request", "request_uri"].includes(name))),
    visitor: fc.constantFrom("nobody", "alice"),
  }),
)

test(
  "RFC 9126 §2.1, §4: a request comes to the same whether it is pushed or not, and what would be refused cannot be pushed",
  patient,
  async () => {
    const seen = { granted: 0, refused: 0 }
    await fc.assert(
      fc.asyncProperty(generated, async ({ client, sent, visitor }) => {
        const w = quickWorld({ clients: [client] })
        const [plain, pushing] = [w.visitor(), w.visitor()]
        if (visitor !== "nobody") await Promise.all([signIn(plain, visitor), signIn(pushing, visitor)])
        const direct = await plain.get("/connect/authorize", [["client_id", "app"], ...sent])
        const secret = client.client_secret
        const identified: Pairs = secret === undefined ? [["client_id", "app"]] : []
        const posted: Pairs =
          client.token_endpoint_auth_method === "client_secret_post"
            ? [
                ["client_id", "app"],
                ["client_secret", String(secret)],
              ]
            : identified
        const basic = client.token_endpoint_auth_method === "client_secret_basic"
        const answer = said(
          await w.send({
            method: "POST",
            path: "/connect/par",
            body: form([...posted, ...sent]),
            headers: {
              "content-type": "application/x-www-form-urlencoded",
              ...(basic
                ? {
                    authorization: `Basic ${Buffer.from(`app:${encodeURIComponent(String(secret)).replaceAll("%20", "+")}`).toString("base64")}`,
                  }
                : {}),
            },
          }),
        )
        if (answer.status !== 201) {
          seen.refused++
          expect(answer.json?.["error"]).toBe(errorOf(direct))
          return
        }
        seen.granted++
        const asked = await pushing.get("/connect/authorize", { client_id: "app", request_uri: String(answer.json?.["request_uri"]) })
        expect(kind(asked)).toEqual(kind(direct))
      }),
      { numRuns: runs(500) },
    )
    for (const count of Object.values(seen)) expect(count).toBeGreaterThan(runs(10, -1))
  },
)
