import { defineClient, secretOf } from "@postern/core"
import { sampleInteraction } from "@postern/core/testing"
import type { Decision } from "@postern/core/model"
import * as Effect from "effect/Effect"
import { expect, test } from "vitest"
import { writeHandle } from "../../packages/core/src/model/index.ts"
import { sealSecret } from "../../packages/core/src/settle/request.ts"
import { afterFailure, begin, callbackPath, derived, failedBefore } from "../../packages/core/src/settle/upstream.ts"
import { inquiryOf, issuer, now, run, sha256 } from "./inquiry.ts"

const base = defineClient({ client_id: "app", redirect_uris: ["https://app.example/cb"], token_endpoint_auth_method: "none" })
const waitingSecret = "w".repeat(42) + "A"
const handle = writeHandle({ kind: "i", locator: "0".repeat(16), secret: waitingSecret })

/** Begins a sign-in at another provider: what that one is asked, and the decision with the row that waits. */
const beginning = async (told: object = {}, params: ReadonlyArray<readonly [string, string]> = []) => {
  const asked: Array<Record<string, unknown>> = []
  const identityProviders = {
    begin: (request: Record<string, unknown>) => Effect.sync(() => (asked.push(request), "https://corp.example/authorize")),
  }
  const inquiry = inquiryOf({ identityProviders })
  const browser = { secret: secretOf("browser secret"), digest: "browser digest", cookies: [{ name: "browser", value: "b" }] }
  const interaction = { ...sampleInteraction(1, { expiresAt: now + 77 }), params }
  const settings = { issuer, interactionLifetime: 600 }
  const asks = { idp: "corp", tenant: undefined, contexts: ["urn:example:two"] }
  const seen = { settings, now, browser, interaction, handle, provider: "corp", client: base, another: false, asked: asks, ...told }
  const decision = (await run(begin(seen as never, inquiry))) as Extract<Decision, { _tag: "Leave" }>
  return { decision, asked: asked[0] ?? {}, inquiry }
}
/** The waiting attempt as it is found once a decision is committed. */
const rowOf = async ({ decision, asked, inquiry: { ports } }: Awaited<ReturnType<typeof beginning>>) => {
  await run(ports.tokens.commit(decision.commands))
  return run(ports.tokens.findInteraction(String(asked["state"]).slice(2, 18)))
}

test("RFC 9700 §4.4.2, §4.7.1: each provider has a callback of its own; state, nonce and verifier are another's for each attempt", async () => {
  const { asked, decision } = await beginning()
  expect(asked).toMatchObject({
    provider: "corp",
    redirectUri: `${issuer}/login/callback/corp`,
    loginHint: undefined,
    uiLocales: undefined,
    prompt: [],
    acrValues: ["urn:example:two"],
  })
  expect(decision).toMatchObject({
    _tag: "Leave",
    to: "https://corp.example/authorize",
    params: [],
    cookies: [{ name: "browser", value: "b" }],
  })
  const state = String(asked["state"])
  expect(state).toMatch(/^u_/)
  const stateSecret = state.slice(18)
  expect(asked["nonce"]).toBe(sha256(`postern upstream nonce browser secret ${stateSecret}`))
  expect(asked["codeVerifier"]).toBe(sha256(`postern upstream verifier browser secret ${stateSecret}`))
  const others = await Promise.all(
    (["nonce", "verifier"] as const).flatMap((purpose) => [
      run(derived(purpose, secretOf("another browser"), stateSecret, inquiryOf())),
      run(derived(purpose, secretOf("browser secret"), "another state", inquiryOf())),
    ]),
  )
  expect(new Set([asked["nonce"], asked["codeVerifier"], ...others]).size).toBe(6)
})

test("the attempt waits as long as the request does that waits for it, with that one's secret sealed under the state's", async () => {
  const made = await beginning()
  const state = String(made.asked["state"])
  const sealed = await run(sealSecret(made.inquiry.ports, waitingSecret, state.slice(18)))
  const row = await rowOf(made)
  expect(row?.finishedAt).toBe(undefined)
  expect(row).toMatchObject({
    kind: "upstream",
    provider: "corp",
    digest: sha256(`u ${state.slice(18)}`),
    browser: "browser digest",
    waiting: { locator: "0".repeat(16), sealed },
    expiresAt: now + 77,
    keepUntil: now + 77,
  })
  const alone = await rowOf(await beginning({ interaction: undefined }))
  expect(alone).toMatchObject({ expiresAt: now + 600 })
  for (const other of [undefined, handle.replace("i_", "c_")])
    expect(await rowOf(await beginning({ handle: other }))).not.toHaveProperty("waiting")
  expect(alone).not.toHaveProperty("waiting")
})

test("OpenID Connect Core §3.1.2.1: prompt, max_age, login_hint and ui_locales are asked of the other provider as the client asked them of us", async () => {
  const params = [
    ["prompt", "login consent select_account"],
    ["login_hint", "alice"],
    ["ui_locales", "de"],
    ["max_age", "30"],
  ] as const
  expect((await beginning({}, params)).asked).toMatchObject({
    prompt: ["login", "select_account"],
    maxAge: 0,
    loginHint: "alice",
    uiLocales: "de",
  })
  const asking = async (client: object | undefined, own: ReadonlyArray<readonly [string, string]>, another = false) => {
    const { prompt, maxAge, loginHint } = (await beginning({ client, another }, own)).asked
    return [prompt, maxAge, loginHint]
  }
  expect(await asking(base, [["max_age", "30"]])).toEqual([[], 30, undefined])
  expect(await asking({ ...base, defaultMaxAge: 90 }, [])).toEqual([[], 90, undefined])
  expect(await asking({ ...base, defaultMaxAge: 90 }, [["max_age", "0"]])).toEqual([[], 0, undefined])
  expect(await asking(undefined, [["prompt", "consent none"]])).toEqual([[], undefined, undefined])
  expect(await asking(base, [["login_hint", "alice"]], true), "somebody else signs in").toEqual([["select_account"], undefined, undefined])
  expect(await asking(base, [["prompt", "select_account"]], false)).toEqual([["select_account"], undefined, undefined])
  expect(await asking(base, [["prompt", "login"]], true), "who is asked to sign in anew chooses there").toEqual([["login"], 0, undefined])
})

test("a request remembers the provider at which its sign-in failed", () => {
  const request = sampleInteraction(1)
  expect([failedBefore(request), failedBefore(afterFailure(request, "corp")), callbackPath("corp")]).toEqual([
    undefined,
    "corp",
    "/login/callback/corp",
  ])
})
