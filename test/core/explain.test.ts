import { expect, test } from "vitest"
import { codeFor, redeem, token } from "../support/flows.ts"
import { world } from "../support/world.ts"

test("explain: every answer carries the request id of its trail, and no two are alike", async () => {
  const w = await world()
  const ids: Array<string | undefined> = []
  for (let time = 0; time < 5; time++) ids.push((await w.visitor().get("/login")).header("x-request-id"))
  expect(new Set(ids).size).toBe(5)
  expect(w.trails.map(({ requestId }) => requestId)).toEqual(ids)
})

test("explain: an error page shows the request id too", async () => {
  const w = await world()
  const answer = await w.visitor().get("/nowhere")
  expect(answer.page?.["requestId"]).toBe(answer.header("x-request-id"))
})

test("explain: a refusal's trail has the rules that passed, the one that refused, its paragraph and its private reason", async () => {
  const w = await world()
  await redeem(w, await codeFor(w, "web"), "other")
  expect(w.trails.at(-1)).toEqual({
    requestId: expect.any(String),
    at: w.now(),
    endpoint: "token",
    clientId: "other",
    subject: "sub-alice",
    facts: { "client authentication": "client_secret_basic", "tokens bound to": "nothing" },
    outcome: "RefuseJson",
    status: 400,
    fault: undefined,
    steps: [
      { table: "parameters", passed: ["parameters.number", "parameters.values", "parameters.words"], refused: undefined },
      { table: "token/form", passed: ["token.form", "token.parameters-once"], refused: undefined },
      {
        table: "client-authentication/presentation",
        passed: expect.arrayContaining(["client.scheme", "client.present"]),
        refused: undefined,
      },
      {
        table: "client-authentication",
        passed: expect.arrayContaining(["client.known", "client.attempts"]),
        refused: undefined,
      },
      { table: "client-authentication/secret", passed: ["client.secret-matches"], refused: undefined },
      {
        table: "token/grant-type",
        passed: [
          "token.grant-type-present",
          "token.grant-type-known",
          "token.grant-type-allowed",
          "token.grant-type-profile",
          "token.algorithm-profile",
          "token.details-taken",
        ],
        refused: undefined,
      },
      {
        table: "token/confirmation",
        passed: ["token.confirmation", "token.confirmation-one", "token.confirmation-profile"],
        refused: undefined,
      },
      {
        table: "token/authorization_code",
        passed: ["code.present", "code.known"],
        refused: {
          rule: "code.client",
          cites: "RFC 6749 §4.1.3",
          answer: "invalid_grant",
          reason: "the code was issued to another client",
        },
      },
    ],
  })
})

test("explain: a success has a trail too, refusing nothing", async () => {
  const w = await world()
  await token(w, "machine", { grant_type: "client_credentials" })
  expect(w.trails.at(-1)).toMatchObject({ outcome: "IssueTokens", status: 200 })
  expect(w.trails.at(-1)?.steps.every(({ refused }) => refused === undefined)).toBe(true)
})
