import { memoryLimiter } from "@postern/core/memory"
import { basic, post, redeem, request, signedIn } from "../support/flows.ts"
import { said } from "../support/visitor.ts"
import type { World } from "../support/world.ts"
import { type Case, type Expectation, refused, shown } from "./case.ts"

type Pairs = ReadonlyArray<readonly [string, string]>

const many = (count: number, pair: (at: number) => readonly [string, string]): Pairs => Array.from({ length: count }, (_, at) => pair(at))
const tooMany = "The request has too many parameters or values."
const page = shown("request_invalid", "invalid_request")
const json = refused("invalid_request", tooMany)
const formType = "application/x-www-form-urlencoded"

/** Sends a form without a cookie or a client's credentials. */
const send = async (w: World, path: string, pairs: Pairs, headers: Record<string, string> = {}) =>
  said(
    await w.send({
      method: "POST",
      path,
      body: new URLSearchParams(pairs.map(([name, value]) => [name, value])).toString(),
      headers: { "content-type": formType, ...headers },
    }),
  )

const machine = { authorization: basic("machine") }
const credentials: Pairs = [["grant_type", "client_credentials"]]

const parameterCases: ReadonlyArray<Case> = [
  {
    title: "RFC 9110 §17.5: a form of 200 parameters is read",
    rule: undefined,
    run: (w) => send(w, "/connect/token", [...credentials, ...many(199, (at) => [`x${at}`, "1"])], machine),
    expect: { status: 200 },
  },
  {
    title: "RFC 9110 §17.5: a form of 201 parameters is invalid_request",
    rule: "parameters.number",
    run: (w) => send(w, "/connect/token", [...credentials, ...many(200, (at) => [`x${at}`, "1"])], machine),
    expect: json,
  },
  {
    title: "RFC 9110 §17.5: empty parameters count too",
    rule: "parameters.number",
    run: async (w) =>
      said(
        await w.send({
          method: "POST",
          path: "/connect/token",
          body: `grant_type=client_credentials${"&".repeat(200)}`,
          headers: { "content-type": formType, ...machine },
        }),
      ),
    expect: json,
  },
  {
    title: "RFC 9110 §17.5: an authorization request of 201 parameters is a page, since nobody is trusted yet",
    rule: "parameters.number",
    run: async (w) =>
      (await signedIn(w)).get("/connect/authorize", [...Object.entries(request()), ...many(200, (at) => [`x${at}`, "1"] as const)]),
    expect: page,
  },
  {
    title: "RFC 8707 §2: a parameter of 51 values is invalid_request",
    rule: "parameters.values",
    run: (w) => send(w, "/connect/token", [...credentials, ...many(51, () => ["resource", "https://api.example"])], machine),
    expect: json,
  },
  {
    title: "RFC 8707 §2: a parameter of 50 values is read",
    rule: undefined,
    run: (w) => send(w, "/connect/token", [...credentials, ...many(50, () => ["resource", "https://api.example"])], machine),
    expect: { status: 200 },
  },
  {
    title: "RFC 6749 §3.3: a scope of 201 words is invalid_request",
    rule: "parameters.words",
    run: (w) => send(w, "/connect/token", [...credentials, ["scope", "api.read ".repeat(200) + "api.read"]], machine),
    expect: json,
  },
  {
    title: "RFC 6749 §3.3: a scope of 200 words is read",
    rule: undefined,
    run: (w) => send(w, "/connect/token", [...credentials, ["scope", "api.read ".repeat(199) + "api.read"]], machine),
    expect: { status: 200 },
  },
  {
    title: "RFC 6750 §3.1: at userinfo too many parameters are invalid_request in WWW-Authenticate too",
    rule: "parameters.number",
    run: (w) =>
      send(
        w,
        "/connect/userinfo",
        many(201, (at) => [`x${at}`, "1"]),
      ),
    expect: {
      ...json,
      headers: { "www-authenticate": `Bearer realm="postern", error="invalid_request", error_description="${tooMany}"` },
    },
  },
  ...["/connect/revocation", "/connect/introspect", "/connect/deviceauthorization"].map((path): Case => ({
    title: `RFC 9110 §17.5: too many parameters at ${path} are invalid_request`,
    rule: "parameters.number",
    run: (w) =>
      send(
        w,
        path,
        many(201, (at) => [`x${at}`, "1"]),
        machine,
      ),
    expect: json,
  })),
  ...["/connect/endsession", "/login", "/login/upstream", "/consent", "/device", "/logout", "/sessions/end", "/consents/withdraw"].map(
    (path): Case => ({
      title: `RFC 9110 §17.5: too many parameters at ${path} are a page`,
      rule: "parameters.number",
      run: (w) =>
        send(
          w,
          path,
          many(201, (at) => [`x${at}`, "1"]),
        ),
      expect: page,
    }),
  ),
]

const euro = "€"
const logoutFields = async (w: World) => {
  const visitor = await signedIn(w)
  const { params } = await visitor.get("/connect/authorize", request())
  const { json: tokens } = await redeem(w, params["code"] ?? "")
  return { visitor, fields: { id_token_hint: String(tokens?.["id_token"]), post_logout_redirect_uri: "https://app.example/out" } }
}

const lengthCases: ReadonlyArray<Case> = [
  {
    title: "RFC 9110 §4.1: a waiting request keeps no more than 8,000 characters, as a URL has them",
    rule: "authorize.kept-length",
    run: async (w) => w.visitor().get("/connect/authorize", request("web", { nonce: euro.repeat(870) })),
    expect: page,
  },
  {
    title: "RFC 9110 §4.1: and what it does not keep may be longer",
    rule: "person.signed-in",
    run: async (w) => w.visitor().get("/connect/authorize", request("web", { nonce: "n".repeat(7_000), unknown: "u".repeat(4_000) })),
    expect: { status: 303, to: "/login" },
  },
  {
    title: "RFC 9110 §17.5: control characters, which a row writes with six, count as they are kept",
    rule: "authorize.kept-length",
    run: async (w) => w.visitor().get("/connect/authorize", request("web", { nonce: "\u0001".repeat(1_400) })),
    expect: page,
  },
  {
    title: "RFC 9110 §4.1: a POST from another site that no URL can carry on is refused with a page",
    rule: "browser.sent-on-length",
    run: (w) => w.visitor().post("/connect/authorize", request("web", { unknown: "u".repeat(8_000) })),
    expect: page,
  },
  {
    title: "RFC 9110 §4.1: and so is a POST of 64 KiB",
    rule: "authorize.length",
    run: (w) => w.visitor().post("/connect/authorize", request("web", { state: "s".repeat(65_000) })),
    expect: page,
  },
  {
    title: "RFC 9110 §4.1: a logout from another site that no URL can carry on is refused with a page",
    rule: "browser.sent-on-length",
    run: (w) => w.visitor().post("/connect/endsession", { state: '"'.repeat(2_700) }),
    expect: page,
  },
  {
    title: "RFC 9110 §4.1: a logout request longer than 12,288 characters is refused with a page",
    rule: "end-session.length",
    run: async (w) => (await signedIn(w)).post("/connect/endsession", { unknown: "u".repeat(12_288) }),
    expect: page,
  },
  {
    title: "RFC 9110 §4.1: a state that no URL can carry back signs nobody out",
    rule: "end-session.length",
    run: async (w) => {
      const { visitor, fields } = await logoutFields(w)
      return visitor.post("/connect/endsession", { ...fields, state: euro.repeat(900) })
    },
    expect: page,
  },
  {
    title: "RP-Initiated Logout §2: the page that asks repeats what means something here, and nothing else",
    rule: "end-session.asked",
    run: async (w) => {
      const visitor = await signedIn(w)
      const answer = await visitor.get("/connect/endsession", { client_id: "web", state: "s", unknown: "u" })
      const form = answer.page?.["form"] as { readonly hidden: Pairs } | undefined
      return { ...answer, json: { names: form?.hidden.map(([name]) => name).join(" ") } }
    },
    expect: { status: 200, json: { names: "csrf client_id state" } },
  },
]

const soon = { ...refused("temporarily_unavailable", "Too many requests. Try again later.", 429), headers: { "retry-after": "30" } }
const busy: Expectation = { ...shown("too_many_attempts", "temporarily_unavailable", 429), headers: { "retry-after": "30" } }
const times = async (count: number, run: () => Promise<unknown>): Promise<void> => {
  for (let time = 0; time < count; time++) await run()
}

const rateCases: ReadonlyArray<Case> = [
  {
    title: "RFC 6585 §4: the third authorization request of an address that may send two in a minute is a page, 429, with Retry-After",
    rule: "authorize.address-rate",
    // A limiter of its own each time it runs: it counts.
    get options() {
      return { more: { limiter: memoryLimiter({ authorizeAddress: 2 }) } }
    },
    run: async (w) => {
      await times(2, () => w.visitor().get("/connect/authorize", request()))
      return w.visitor().get("/connect/authorize", request())
    },
    expect: busy,
  },
  {
    title: "RFC 6585 §4: what is refused for its form was counted all the same",
    rule: "authorize.address-rate",
    // A limiter of its own each time it runs: it counts.
    get options() {
      return { more: { limiter: memoryLimiter({ authorizeAddress: 2 }) } }
    },
    run: async (w) => {
      await times(2, () => w.visitor().get("/connect/authorize", { client_id: "nobody" }))
      return w.visitor().get("/connect/authorize", request())
    },
    expect: busy,
  },
  {
    title: "RFC 6585 §4: authorization requests use up nothing of the token endpoint's",
    rule: undefined,
    // A limiter of its own each time it runs: it counts.
    get options() {
      return { more: { limiter: memoryLimiter({ authorizeAddress: 1, address: 1 }) } }
    },
    run: async (w) => {
      await w.visitor().get("/connect/authorize", request())
      return send(w, "/connect/token", credentials, machine)
    },
    expect: { status: 200 },
  },
  {
    title:
      "RFC 6585 §4: the third visit of the home page of an address that may have two in a minute is 429: it may make a row to come back by",
    rule: "home.address-rate",
    // A limiter of its own each time it runs: it counts.
    get options() {
      return { more: { limiter: memoryLimiter({ authorizeAddress: 2 }) } }
    },
    run: async (w) => {
      await times(2, () => w.visitor().get("/"))
      return w.visitor().get("/")
    },
    expect: busy,
  },
  {
    title: "RFC 6585 §4: the third device authorization request of an address that may send two in a minute is 429, with Retry-After",
    rule: "device-authorization.address-rate",
    // A limiter of its own each time it runs: it counts.
    get options() {
      return { more: { limiter: memoryLimiter({ deviceAddress: 2 }) } }
    },
    run: async (w) => {
      await times(2, () => post(w, "/connect/deviceauthorization", "tv", {}))
      return post(w, "/connect/deviceauthorization", "screen", {})
    },
    expect: soon,
  },
  {
    title: "RFC 6585 §4: the third device authorization request of a client that may send two in a minute is 429, with Retry-After",
    rule: "device-authorization.client-rate",
    // A limiter of its own each time it runs: it counts.
    get options() {
      return { more: { limiter: memoryLimiter({ deviceClient: 2 }) } }
    },
    run: async (w) => {
      await times(2, () => post(w, "/connect/deviceauthorization", "screen", {}))
      return post(w, "/connect/deviceauthorization", "screen", {})
    },
    expect: soon,
  },
  {
    title: "RFC 9126 §2.3: the third request that an address pushes is 429 where it may push two in a minute",
    rule: "pushed-authorization.address-rate",
    // A limiter of its own each time it runs: it counts.
    get options() {
      return { more: { limiter: memoryLimiter({ address: 1, pushAddress: 2 }) } }
    },
    run: async (w) => {
      await times(2, () => post(w, "/connect/par", "web", request()))
      return post(w, "/connect/par", "other", request("other"))
    },
    expect: soon,
  },
  {
    title: "RFC 9126 §2.3: the third request that a client pushes is 429 where it may push two in a minute",
    rule: "pushed-authorization.client-rate",
    // A limiter of its own each time it runs: it counts.
    get options() {
      return { more: { limiter: memoryLimiter({ client: 1, pushClient: 2 }) } }
    },
    run: async (w) => {
      await times(2, () => post(w, "/connect/par", "web", request()))
      return post(w, "/connect/par", "web", request())
    },
    expect: soon,
  },
  {
    title: "RFC 6585 §4: what is sent in a device's name without its secret uses up nothing of the client's",
    rule: "client.secret-matches",
    // A limiter of its own each time it runs: it counts.
    get options() {
      return { more: { limiter: memoryLimiter({ deviceClient: 1 }) } }
    },
    run: async (w) => {
      await times(3, () => post(w, "/connect/deviceauthorization", undefined, {}, { authorization: basic("screen", "a guess") }))
      return post(w, "/connect/deviceauthorization", "screen", {})
    },
    expect: { status: 200 },
  },
]

/** Cases of the bounds on one request: of its size, of the rows it keeps and of the work it asks for. */
export const cases: ReadonlyArray<Case> = [...parameterCases, ...lengthCases, ...rateCases]
