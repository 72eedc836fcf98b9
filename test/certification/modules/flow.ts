import { createHash } from "node:crypto"
import { everyClaim as claims } from "@postern/conformance"
import { expect } from "vitest"
import { unguessable } from "../contract.ts"
import { gives, modeOf } from "../plan.ts"
import { claimsOfScope } from "../setting.ts"
import { type Module, Suite, everywhere, random } from "../suite.ts"

const scope = (name: string, scopes: string): Module => ({
  name: `oidcc-scope-${name}`,
  in: everywhere,
  run: async (plan) => {
    const suite = await Suite.start(plan)
    expect(suite.document["scopes_supported"]).toEqual(expect.arrayContaining(scopes.split(" ")))
    const wanted = scopes.split(" ").flatMap((each) => claimsOfScope[each] ?? [])
    const { idToken, accessToken } = await suite.login({ scope: scopes })
    const said = accessToken === undefined ? idToken : (await suite.askUserinfo(accessToken)).json
    expect(said).toMatchObject(Object.fromEntries(wanted.map((claim) => [claim, claims[claim]])))
  },
})

const userinfo = (way: "get" | "post-header" | "post-body"): Module => ({
  name: `oidcc-userinfo-${way}`,
  in: (plan) => plan.responseType !== "id_token",
  run: async (plan) => {
    const suite = await Suite.start(plan)
    const { idToken, accessToken } = await suite.login()
    await suite.userinfo(String(accessToken), idToken["sub"], [], way)
  },
})

const server = (name: string, clientId: string): Module => ({
  name,
  in: everywhere,
  run: async (plan) => {
    const suite = await Suite.start(plan, clientId)
    const { params, pages } = await suite.login()
    expect(pages[0]).toBe("Login")
    if (params["access_token"] !== undefined) unguessable(params["access_token"])
  },
})

/** The flow itself, what it releases, and what it tolerates. */
export const flow: ReadonlyArray<Module> = [
  server("oidcc-server", "suite one"),
  { ...server("oidcc-server-client-secret-post", "suite-post"), in: (plan) => plan.kind !== "implicit" },
  {
    name: "oidcc-response-type-missing",
    in: (plan) => plan.responseType !== "id_token token" && (plan.kind !== "hybrid" || plan.responseType === "code id_token"),
    run: async (plan) => {
      const suite = await Suite.start(plan)
      const pairs = suite.request({ response_type: undefined })
      const error = suite.errorOf(await suite.browse(pairs), pairs, plan.formPost ? "form_post" : "query")
      expect(["unsupported_response_type", "invalid_request"]).toContain(error)
    },
  },
  userinfo("get"),
  userinfo("post-header"),
  userinfo("post-body"),
  {
    name: "oidcc-ensure-request-without-nonce-succeeds-for-code-flow",
    in: (plan) => !gives(plan, "id_token"),
    run: async (plan) => {
      const { idToken } = await (await Suite.start(plan)).login({ nonce: undefined })
      expect(idToken).not.toHaveProperty("nonce")
    },
  },
  {
    name: "oidcc-ensure-request-without-nonce-fails",
    in: (plan) => gives(plan, "id_token"),
    run: async (plan) => {
      const suite = await Suite.start(plan)
      const pairs = suite.request({ nonce: undefined })
      expect(suite.errorOf(await suite.browse(pairs), pairs)).toBe("invalid_request")
    },
  },
  scope("profile", "openid profile"),
  scope("email", "openid email"),
  scope("address", "openid address"),
  scope("phone", "openid phone"),
  scope("all", "openid profile email address phone"),
  {
    name: "oidcc-alternate-happy-flow",
    in: (plan) => !["code token", "code id_token token"].includes(plan.responseType),
    run: async (plan) => {
      const suite = await Suite.start(plan)
      const pairs = suite.request({ scope: "email openid", state: random(128), nonce: random(43) }).toReversed()
      await suite.loginBy(pairs)
    },
  },
  {
    name: "oidcc-ensure-post-request-succeeds",
    in: (plan) => plan.kind === "basic",
    run: async (plan) => {
      const suite = await Suite.start(plan)
      await suite.loginBy(suite.request(), "post")
    },
  },
  {
    name: "oidcc-ensure-request-with-valid-pkce-succeeds",
    in: (plan) => plan.kind === "basic" || plan.responseType === "code id_token",
    run: async (plan) => {
      const suite = await Suite.start(plan)
      const verifier = random(64)
      const challenge = createHash("sha256").update(verifier).digest("base64url")
      await suite.login({ code_challenge: challenge, code_challenge_method: "S256" }, verifier)
    },
  },
  {
    name: "oidcc-codereuse",
    in: (plan) => plan.kind !== "implicit",
    run: async (plan) => {
      const suite = await Suite.start(plan)
      const { params } = await suite.login()
      suite.refused(await suite.redeem(params["code"] ?? ""), "invalid_grant")
    },
  },
  {
    name: "oidcc-codereuse-30seconds",
    in: (plan) => plan.kind !== "implicit",
    run: async (plan) => {
      const suite = await Suite.start(plan)
      const { params, token } = await suite.login()
      suite.w.pass(30)
      suite.refused(await suite.redeem(params["code"] ?? ""), "invalid_grant")
      for (const each of [token?.access_token, params["access_token"]])
        if (each !== undefined) expect((await suite.askUserinfo(each)).status).toBe(401)
    },
  },
  {
    name: "oidcc-ensure-registered-redirect-uri",
    in: everywhere,
    run: async (plan) => {
      const suite = await Suite.start(plan)
      suite.stopped(
        await suite.browse(suite.request({ redirect_uri: `https://suite.example/test/a/postern/${random()}` })),
        "redirect_uri_invalid",
      )
    },
  },
  {
    name: "oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported",
    in: everywhere,
    run: async (plan) => {
      const suite = await Suite.start(plan)
      expect(suite.document["request_parameter_supported"]).toBe(true)
      // So the suite skips it; one that did not would put the response_mode into the object alone.
      expect(suite.document["request_object_signing_alg_values_supported"]).not.toContain("none")
      const pairs = suite.request()
      const query = [...pairs.filter(([name]) => name !== "response_mode"), ["request", suite.unsigned(pairs)] as const]
      expect(suite.errorOf(await suite.browse(query), [...pairs], modeOf(plan))).toBe("request_not_supported")
    },
  },
  {
    name: "oidcc-ensure-request-object-with-redirect-uri",
    in: everywhere,
    run: async (plan) => {
      const suite = await Suite.start(plan)
      const inner = suite.unsigned(suite.request())
      const outer = suite.request({ redirect_uri: "https://suite.example/elsewhere" })
      suite.stopped(await suite.browse([...outer, ["request", inner]]), "redirect_uri_invalid")
    },
  },
]
