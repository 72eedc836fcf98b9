import { authorize, codeFor, post, redeem, refresh, request, signedIn, token, tokensFor, userinfo } from "../support/flows.ts"
import { password } from "../support/world.ts"
import {
  authorizing,
  consenting,
  decided,
  type Flow,
  hasCode,
  home,
  invalidGrant,
  ok,
  page,
  poll,
  redeeming,
  refreshing,
  revoking,
  started,
  visiting,
} from "./portSteps.ts"

/** Every flow: authorization, sign-in, consent, codes, refresh, device, revocation, sign-out, and what only reads. */
export const flows: ReadonlyArray<Flow> = [
  authorizing("web"),
  authorizing("opaque", { scope: "openid offline_access" }),
  authorizing(
    "hybrid",
    { response_type: "code id_token", nonce: "n" },
    ({ params }) => params["code"] !== undefined && params["id_token"] !== undefined,
  ),
  authorizing(
    "hybrid",
    { response_type: "id_token token", nonce: "n", scope: "openid api.read" },
    ({ params }) => params["access_token"] !== undefined,
  ),
  authorizing("hybrid", { response_type: "code", response_mode: "form_post" }),
  authorizing("asks", { prompt: "none" }, ({ params }) => params["error"] === "consent_required"),
  authorizing("asks", {}, ({ to }) => to === "/consent"),
  {
    name: "authorization of somebody who is not signed in",
    ready: (w) => Promise.resolve(() => w.visitor().get("/connect/authorize", request())),
    succeeds: ({ to }) => to === "/login",
  },
  {
    name: "the sign-in page",
    ready: async (w) => {
      const visitor = w.visitor()
      return () => visiting(visitor, visitor.get("/connect/authorize", request()))
    },
    succeeds: page("Login"),
  },
  {
    name: "a sign-in, and the code it leads to",
    ready: async (w) => {
      const visitor = w.visitor()
      const { page: asked } = await authorize(visitor)
      const fields: ReadonlyArray<readonly [string, string]> = [
        ["username", "alice"],
        ["password", password],
      ]
      return () => visiting(visitor, visitor.submit(asked, fields))
    },
    succeeds: hasCode,
  },
  {
    name: "a wrong password",
    ready: async (w) => {
      const visitor = w.visitor()
      const { page: asked } = await authorize(visitor)
      return () =>
        visitor.submit(asked, [
          ["username", "alice"],
          ["password", "wrong"],
        ])
    },
    succeeds: ({ status, page: shown }) => status < 500 && shown?.["_tag"] === "Login",
  },
  { name: "consent given", ready: (w) => consenting(w, "allow"), succeeds: hasCode },
  { name: "consent denied", ready: (w) => consenting(w, "deny"), succeeds: ({ params }) => params["error"] === "access_denied" },
  redeeming("web"),
  redeeming("opaque"),
  redeeming("spa", "openid"),
  redeeming("hybrid", "openid email"),
  {
    name: "a code that was used",
    ready: async (w) => {
      const code = await codeFor(w)
      await redeem(w, code)
      return () => redeem(w, code)
    },
    succeeds: invalidGrant,
  },
  refreshing("web"),
  refreshing("opaque"),
  refreshing("spa"),
  {
    name: "a refresh token whose answer was lost",
    ready: async (w) => {
      const { refresh_token } = await tokensFor(w)
      await refresh(w, refresh_token)
      return () => refresh(w, refresh_token)
    },
    succeeds: ok,
  },
  {
    name: "a refresh token that was rotated long ago",
    ready: async (w) => {
      const { refresh_token } = await tokensFor(w)
      await refresh(w, refresh_token)
      w.pass(60)
      return () => refresh(w, refresh_token)
    },
    succeeds: invalidGrant,
  },
  { name: "a device that asks", ready: (w) => Promise.resolve(() => post(w, "/connect/deviceauthorization", "tv", {})), succeeds: ok },
  {
    name: "the device page",
    ready: async (w) => {
      const { userCode } = await started(w)
      const visitor = await signedIn(w)
      return () => visitor.get("/device", { user_code: userCode })
    },
    succeeds: page("DeviceConfirm"),
  },
  ...(["allow", "deny"] as const).map((decision): Flow => ({
    name: `a device, and the person says ${decision}`,
    ready: async (w) => {
      const { userCode } = await started(w)
      const visitor = await signedIn(w)
      const { page: asked } = await visitor.get("/device", { user_code: userCode })
      return () => visitor.submit(asked, [["decision", decision]])
    },
    succeeds: page("DeviceDone"),
  })),
  {
    name: "a device that polls too early",
    ready: async (w) => {
      const { deviceCode } = await started(w)
      return () => poll(w, deviceCode)
    },
    succeeds: ({ json }) => json?.["error"] === "authorization_pending",
  },
  {
    name: "a device that was denied",
    ready: async (w) => {
      const deviceCode = await decided(w, "deny")
      return () => poll(w, deviceCode)
    },
    succeeds: ({ json }) => json?.["error"] === "access_denied",
  },
  {
    name: "a device code",
    ready: async (w) => {
      const deviceCode = await decided(w, "allow")
      return () => poll(w, deviceCode)
    },
    succeeds: ok,
    again: invalidGrant,
  },
  revoking("web", "refresh_token"),
  revoking("opaque", "refresh_token"),
  revoking("opaque", "access_token"),
  {
    name: "sign-out by the page",
    ready: async (w) => {
      const visitor = await signedIn(w)
      const { page: asked } = await visitor.get("/logout")
      return () => visitor.submit(asked)
    },
    succeeds: page("SignedOut"),
  },
  {
    name: "sign-out asked for by a client",
    ready: async (w) => {
      const visitor = await signedIn(w)
      const code = (await authorize(visitor)).params["code"] ?? ""
      const hint = String((await redeem(w, code)).json?.["id_token"])
      return () => visitor.get("/connect/endsession", { id_token_hint: hint, post_logout_redirect_uri: "https://app.example/out" })
    },
    succeeds: ({ status }) => status < 400,
  },
  {
    name: "a consent withdrawn",
    ready: (w) => home(w, "withdrawConsent", () => [["client_id", "asks"]]),
    succeeds: ({ status }) => status === 303,
  },
  {
    name: "another session ended",
    ready: (w) =>
      home(w, "endSession", ({ sessions }) => {
        const all = sessions as ReadonlyArray<{ readonly id: string; readonly current: boolean }>
        return [["session", all.find(({ current }) => !current)?.id ?? ""]]
      }),
    succeeds: ({ status }) => status === 303,
  },
  {
    name: "the home page",
    ready: async (w) => {
      const visitor = await signedIn(w)
      return () => visitor.get("/")
    },
    succeeds: page("Home"),
  },
  ...["web", "opaque"].map((client): Flow => ({
    name: `client credentials of ${client}`,
    ready: (w) => Promise.resolve(() => token(w, client, { grant_type: "client_credentials", scope: "api.read" })),
    succeeds: ok,
  })),
  {
    name: "a password",
    ready: (w) => {
      const fields = { grant_type: "password", username: "alice", password, scope: "openid offline_access" }
      return Promise.resolve(() => token(w, "ropc", fields))
    },
    succeeds: ok,
  },
  ...["web", "opaque"].map((client): Flow => ({
    name: `userinfo with a token of ${client}`,
    ready: async (w) => {
      const { access_token } = await tokensFor(w, client)
      return () => userinfo(w, access_token)
    },
    succeeds: ok,
  })),
  {
    name: "introspection",
    ready: async (w) => {
      const { access_token } = await tokensFor(w, "opaque", "openid offline_access api.read")
      return () => post(w, "/connect/introspect", "api", { token: access_token })
    },
    succeeds: ({ json }) => json?.["active"] === true,
  },
  ...["/.well-known/openid-configuration", "/.well-known/openid-configuration/jwks"].map((path): Flow => ({
    name: path,
    ready: (w) => Promise.resolve(() => w.visitor().get(path)),
    succeeds: ok,
  })),
]
