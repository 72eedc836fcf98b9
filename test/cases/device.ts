import { authorize, basic, post, refresh, signIn, signedIn, token, userinfo } from "../support/flows.ts"
import { type Said, type Visitor, said } from "../support/visitor.ts"
import { type World, clients, password } from "../support/world.ts"
import { type Case, page, refused, shown } from "./case.ts"

const grant_type = "urn:ietf:params:oauth:grant-type:device_code"
type Fields = Record<string, string> | ReadonlyArray<readonly [string, string]>

const begin = (w: World, fields: Fields = {}, clientId = "tv") => post(w, "/connect/deviceauthorization", clientId, fields)
const poll = (w: World, device: Said, clientId = "tv", more: Record<string, string> = {}) =>
  token(w, clientId, { grant_type, device_code: String(device.json?.["device_code"]), ...more })

const open = (visitor: Visitor, device: Said): Promise<Said> => visitor.get(`/device?user_code=${String(device.json?.["user_code"])}`)

const decide = async (w: World, device: Said, decision: string, visitor?: Visitor): Promise<Said> => {
  const person = visitor ?? (await signedIn(w))
  return person.submit((await open(person, device)).page, [["decision", decision]])
}

/** A device whose person has approved it. */
const approved = async (w: World, fields: Fields = {}, clientId = "tv"): Promise<Said> => {
  const device = await begin(w, fields, clientId)
  await decide(w, device, "allow")
  return device
}

const pending = refused("authorization_pending", "The person has not answered yet.")
const slowDown = refused("slow_down", "The device polls too fast.")
const disable = (w: World): void => {
  const person = w.people.get("sub-alice")
  if (person !== undefined) w.people.set("sub-alice", { ...person, active: false })
}

const authorizationCases: ReadonlyArray<Case> = [
  {
    title: "RFC 8628 §3.2, specification §2.3: a device gets its codes, where to send people, for how long and how often to ask",
    rule: undefined,
    run: (w) => begin(w),
    expect: {
      status: 200,
      json: { verification_uri: "https://op.example/device", expires_in: 300, interval: 5 },
      headers: { "cache-control": "no-store", "content-type": "application/json" },
    },
  },
  {
    title: "RFC 8628 §3.2: how long a device waits, and how often it may ask, are the client's own",
    rule: undefined,
    options: {
      clients: clients.map((each) => (each.client_id === "tv" ? { ...each, device_code_lifetime: 60, device_polling_interval: 2 } : each)),
    },
    run: (w) => begin(w),
    expect: { status: 200, json: { expires_in: 60, interval: 2 } },
  },
  {
    title: "RFC 8628 §3.5: a device that waits its client's interval is not too fast",
    rule: "device.approved",
    options: { clients: clients.map((each) => (each.client_id === "tv" ? { ...each, device_polling_interval: 2 } : each)) },
    run: async (w) => {
      const device = await begin(w)
      await poll(w, device)
      w.pass(2)
      return poll(w, device)
    },
    expect: pending,
  },
  {
    title: "RFC 8628 §5.1: a picture or script of another site can neither try codes nor use up anybody's tries",
    rule: "device-page.opened",
    run: async (w) => {
      const page_ = w.visitor({ "sec-fetch-dest": "image" })
      for (let tries = 0; tries < 12; tries++) await page_.get("/device?user_code=BBBB-BBBB")
      const opened = await w.visitor({ "sec-fetch-dest": "document" }).get("/device?user_code=BBBB-BBBB")
      const fetched = await page_.get("/device?user_code=BBBB-BBBB")
      return { ...fetched, json: { opened: opened.page?.["problem"] } }
    },
    expect: { ...shown("request_invalid", "invalid_request"), json: { opened: "unknown" } },
  },
  {
    title: "RFC 8628 §3.3.1: a screen shows the complete URI as a QR code, with the code beside it, and no sign-in",
    rule: undefined,
    run: (w) => w.visitor().get("/device/qr?user_code=bcdfghjk"),
    expect: page("DeviceQr", 200, {
      userCode: "BCDF-GHJK",
      address: "https://op.example/device",
      addressWithCode: "https://op.example/device?user_code=BCDF-GHJK",
    }),
  },
  {
    title: "RFC 8628 §3.3.1: what is no user code is not drawn",
    rule: "device-qr.code-form",
    run: (w) => w.visitor().get("/device/qr?user_code=hello"),
    expect: shown("request_invalid", "invalid_request"),
  },
  {
    title: "RFC 8628 §6.1: the user code is eight consonants in two groups, and the complete URI carries it",
    rule: undefined,
    run: async (w) => {
      const device = await begin(w)
      const code = String(device.json?.["user_code"])
      const complete = device.json?.["verification_uri_complete"]
      return {
        ...device,
        json: {
          shape: /^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/.test(code),
          complete: complete === `https://op.example/device?user_code=${code}`,
        },
      }
    },
    expect: { status: 200, json: { shape: true, complete: true } },
  },
  {
    title: "specification §2.3: a client may authenticate by secret here",
    rule: undefined,
    run: (w) => begin(w, {}, "screen"),
    expect: { status: 200 },
  },
  {
    title: "RFC 8628 §3.1: an unknown client is refused",
    rule: "client.known",
    run: (w) => post(w, "/connect/deviceauthorization", undefined, { client_id: "nobody" }),
    expect: refused("invalid_client", "Client authentication failed.", 401),
  },
  {
    title: "RFC 8628 §3.1: a body that is no form is refused",
    rule: "device-authorization.form",
    run: async (w) =>
      said(
        await w.send({
          method: "POST",
          path: "/connect/deviceauthorization",
          body: "client_id=tv",
          headers: { authorization: basic("screen") },
        }),
      ),
    expect: refused("invalid_request", "The body must be application/x-www-form-urlencoded."),
  },
  {
    title: "RFC 6749 §3.2: a parameter twice is refused at device authorization",
    rule: "device-authorization.parameters-once",
    run: (w) =>
      begin(w, [
        ["scope", "openid"],
        ["scope", "email"],
      ]),
    expect: refused("invalid_request", "A parameter is sent more than once."),
  },
  {
    title: "RFC 8628 §3.1: off for a client until it is given the grant",
    rule: "device-authorization.grant-allowed",
    run: (w) => begin(w, {}, "web"),
    expect: refused("unauthorized_client", "The client may not use the device flow."),
  },
  {
    title: "RFC 6749 §3.3: a scope that names nothing is refused at device authorization",
    rule: "device-authorization.scope-form",
    run: (w) => begin(w, { scope: " " }),
    expect: refused("invalid_scope", "The scope names nothing."),
  },
  {
    title: "RFC 6749 §3.3: a scope the client is not allowed is refused at device authorization",
    rule: "device-authorization.scope-allowed",
    run: (w) => begin(w, { scope: "openid profile" }),
    expect: refused("invalid_scope", "A scope is unknown or not allowed for this client."),
  },
  {
    title: "specification §2.3: a client without any scope cannot ask a person for nothing",
    rule: "device-authorization.scope-some",
    options: { clients: clients.map((each) => (each.client_id === "tv" ? { ...each, scope: "" } : each)) },
    run: (w) => begin(w),
    expect: refused("invalid_scope", "No scope is allowed for this client."),
  },
]

const tokenCases: ReadonlyArray<Case> = [
  {
    title: "RFC 8628 §3.5: approved, the device gets its tokens; scope omitted gave all it is allowed",
    rule: undefined,
    run: async (w) => poll(w, await approved(w)),
    expect: { status: 200, json: { token_type: "Bearer", scope: "openid email offline_access api.read" } },
  },
  {
    title: "specification §4 rule 8: no offline_access where the client may have no refresh token",
    rule: undefined,
    run: async (w) => poll(w, await approved(w, {}, "screen"), "screen"),
    expect: { status: 200, json: { scope: "openid" } },
  },
  {
    title: "RFC 8628 §3.5: its access token works, and its refresh token too",
    rule: undefined,
    run: async (w) => {
      const tokens = await poll(w, await approved(w))
      const next = await refresh(w, String(tokens.json?.["refresh_token"]), "tv")
      return userinfo(w, String(next.json?.["access_token"]))
    },
    expect: { status: 200, json: { sub: "sub-alice", email: "alice@example.com" } },
  },
  {
    title: "specification §4 rule 7: no device_code is refused",
    rule: "device.present",
    run: (w) => token(w, "tv", { grant_type }),
    expect: refused("invalid_request", "The device_code is missing."),
  },
  {
    title: "RFC 6749 §5.2: an unknown device code is refused",
    rule: "device.known",
    run: (w) => token(w, "tv", { grant_type, device_code: "nonsense" }),
    expect: refused("invalid_grant", "The device code is not valid."),
  },
  {
    title: "RFC 8628 §3.4: another client's device code is refused",
    rule: "device.client",
    run: async (w) => poll(w, await approved(w), "screen"),
    expect: refused("invalid_grant", "The device code is not valid."),
  },
  {
    title: "RFC 8628 §3.5: a device code gives its tokens once",
    rule: "device.unused",
    run: async (w) => {
      const device = await approved(w)
      await poll(w, device)
      w.pass(60)
      return poll(w, device)
    },
    expect: refused("invalid_grant", "The device code has been used."),
  },
  {
    title: "RFC 8628 §3.5: after 300 s it is expired_token, approved or not",
    rule: "device.fresh",
    run: async (w) => {
      const device = await approved(w)
      w.pass(300)
      return poll(w, device)
    },
    expect: refused("expired_token", "The device code has expired."),
  },
  {
    title: "RFC 8628 §3.5: the first poll is never too fast",
    rule: "device.approved",
    run: async (w) => poll(w, await begin(w)),
    expect: pending,
  },
  {
    title: "RFC 8628 §3.5: a second poll within the interval is slow_down",
    rule: "device.unhurried",
    run: async (w) => {
      const device = await begin(w)
      await poll(w, device)
      w.pass(4)
      return poll(w, device)
    },
    expect: slowDown,
  },
  {
    title: "RFC 8628 §3.5: slow_down adds five seconds to the interval",
    rule: "device.unhurried",
    run: async (w) => {
      const device = await begin(w)
      for (const wait of [0, 4, 9]) {
        w.pass(wait)
        await poll(w, device)
      }
      w.pass(14)
      return poll(w, device)
    },
    expect: slowDown,
  },
  {
    title: "RFC 8628 §3.5: a device that then waits as long gets out of it",
    rule: "device.approved",
    run: async (w) => {
      const device = await begin(w)
      for (const wait of [0, 4]) {
        w.pass(wait)
        await poll(w, device)
      }
      w.pass(10)
      return poll(w, device)
    },
    expect: pending,
  },
  {
    title: "RFC 8628 §3.5: denied, the device learns access_denied",
    rule: "device.not-denied",
    run: async (w) => {
      const device = await begin(w)
      await decide(w, device, "deny")
      return poll(w, device)
    },
    expect: refused("access_denied", "The person did not allow it."),
  },
  {
    title:
      "RFC 8628 §3.5: slow_down is for a request that waits: once a person has allowed it, the device gets its tokens, however lately it polled",
    rule: undefined,
    run: async (w) => {
      const device = await begin(w)
      for (let at = 0; at < 2; at++) await poll(w, device)
      await decide(w, device, "allow")
      return poll(w, device)
    },
    expect: { status: 200, json: { token_type: "Bearer" } },
  },
  {
    title: "RFC 8628 §3.5: and so does one that was denied learn that",
    rule: "device.not-denied",
    run: async (w) => {
      const device = await begin(w)
      for (let at = 0; at < 2; at++) await poll(w, device)
      await decide(w, device, "deny")
      return poll(w, device)
    },
    expect: refused("access_denied", "The person did not allow it."),
  },
  {
    title: "RFC 6749 §5.2: withdrawn before it was redeemed, the approval is gone",
    rule: "device.grant-live",
    run: async (w) => {
      const device = await approved(w)
      const visitor = await signedIn(w)
      const home = await visitor.get("/")
      await visitor.submit(home.page, [["client_id", "tv"]], "withdrawConsent")
      return poll(w, device)
    },
    expect: refused("invalid_grant", "The authorization has been revoked."),
  },
  {
    title: "RFC 8628 §3.4: when the client was taken every scope of the grant, the device gets nothing",
    rule: "device.scope-left",
    run: async (w) => {
      const device = await approved(w)
      const tv = w.clients.get("tv")
      if (tv !== undefined) w.clients.set("tv", { ...tv, scope: [] })
      return poll(w, device)
    },
    expect: refused("invalid_grant", "No granted scope is left."),
  },
  {
    title: "RFC 8707 §2: a device's resource is an absolute URI",
    rule: "device.resource-form",
    run: async (w) => poll(w, await approved(w), "tv", { resource: "nonsense" }),
    expect: refused("invalid_target", "A resource must be an absolute URI without a fragment."),
  },
  {
    title: "RFC 8707 §2.2: a device cannot reach a resource it was not granted",
    rule: "device.resource-allowed",
    run: async (w) => poll(w, await approved(w), "tv", { resource: "https://billing.example" }),
    expect: refused("invalid_target", "A resource is unknown or not allowed."),
  },
  {
    title: "RFC 6749 §5.2: a person disabled since is refused at redemption",
    rule: "device.person-active",
    run: async (w) => {
      const device = await approved(w)
      disable(w)
      return poll(w, device)
    },
    expect: refused("invalid_grant", "The person can no longer sign in."),
  },
]

const wrongCodes = async (visitor: Visitor, count: number): Promise<Said> => {
  let answer = await visitor.get("/device")
  for (let time = 0; time < count; time++) answer = await visitor.get("/device?user_code=BBBB-BBBB")
  return answer
}

const pageCases: ReadonlyArray<Case> = [
  {
    title: "RFC 8628 §3.3: the page asks for the code",
    rule: "device-page.code-typed",
    run: (w) => w.visitor().get("/device"),
    expect: page("DeviceCode", 200, { problem: "none" }),
  },
  {
    title: "RFC 8628 §3.3: a code that no device shows is told so",
    rule: "device-page.code-known",
    run: (w) => wrongCodes(w.visitor(), 1),
    expect: page("DeviceCode", 400, { problem: "unknown", userCode: "BBBB-BBBB" }),
  },
  {
    title: "RFC 8628 §3.3: an expired code is told so",
    rule: "device-page.code-fresh",
    run: async (w) => {
      const device = await begin(w)
      w.pass(300)
      return open(await signedIn(w), device)
    },
    expect: page("DeviceCode", 400, { problem: "expired" }),
  },
  {
    title: "RFC 8628 §3.3: a code answered before is told so",
    rule: "device-page.code-undecided",
    run: async (w) => open(await signedIn(w), await approved(w)),
    expect: page("DeviceCode", 400, { problem: "used" }),
  },
  {
    title: "RFC 8628 §6.1: case, dashes and spaces in a typed code do not matter",
    rule: undefined,
    run: async (w) => {
      const code = String((await begin(w)).json?.["user_code"])
      return (await signedIn(w)).get("/device", { user_code: ` ${code.toLowerCase().replace("-", " ")} ` })
    },
    expect: page("DeviceConfirm"),
  },
  {
    title: "RFC 8628 §5.4: the page names the client, what it asks for, and the code, though the link carried it",
    rule: undefined,
    run: async (w) => {
      const device = await begin(w, { scope: "openid api.read" })
      const answer = await open(await signedIn(w), device)
      return { ...answer, json: { code: answer.page?.["userCode"] === device.json?.["user_code"] } }
    },
    expect: { ...page("DeviceConfirm", 200, { client: { name: "Television" }, person: { username: "alice" } }), json: { code: true } },
  },
  {
    title: "RFC 8628 §3.3: whoever is not signed in does so first, and is back at the code",
    rule: undefined,
    run: async (w) => {
      const visitor = w.visitor()
      const login = await visitor.get((await open(visitor, await begin(w))).header("location") ?? "")
      const back = await visitor.submit(login.page, [
        ["username", "alice"],
        ["password", password],
      ])
      return visitor.get(back.header("location") ?? "")
    },
    expect: page("DeviceConfirm"),
  },
  {
    title: "RFC 8628 §3.3: approved, the page says so",
    rule: undefined,
    run: async (w) => decide(w, await begin(w), "allow"),
    expect: page("DeviceDone", 200, { approved: true }),
  },
  {
    title: "RFC 8628 §3.3: denied, the page says so",
    rule: undefined,
    run: async (w) => decide(w, await begin(w), "deny"),
    expect: page("DeviceDone", 200, { approved: false }),
  },
  {
    title: "RFC 8628 §5.1: after ten wrong codes a browser must wait, whatever it types",
    rule: "device-page.attempts",
    run: async (w) => {
      const device = await begin(w)
      const visitor = await signedIn(w)
      await visitor.get("/device")
      const cookie = [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join("; ")
      // From many addresses: none of them has used its own tries up.
      for (let time = 1; time <= 10; time++)
        await w.send({ path: "/device", query: "user_code=BBBB-BBBB", headers: { cookie }, address: `198.51.100.${time}` })
      return open(visitor, device)
    },
    expect: { ...shown("too_many_attempts", "access_denied", 429), headers: { "retry-after": "900" } },
  },
  {
    title: "RFC 8628 §5.1: another browser at the same address must wait too",
    rule: "device-page.address-attempts",
    run: async (w) => {
      await wrongCodes(w.visitor(), 10)
      return wrongCodes(w.visitor(), 1)
    },
    expect: shown("too_many_attempts", "access_denied", 429),
  },
  {
    title: "RFC 8628 §5.1: nine wrong codes are let pass, and the time to wait ends",
    rule: undefined,
    run: async (w) => {
      await wrongCodes(w.visitor(), 10)
      w.pass(900)
      return open(await signedIn(w), await begin(w))
    },
    expect: page("DeviceConfirm"),
  },
  {
    title: "RFC 8628 §5.4: a POST that is no form approves nothing",
    rule: "device-page.form",
    run: async (w) => {
      const visitor = await signedIn(w)
      const form = (await open(visitor, await begin(w))).page?.["form"] as { hidden: Array<[string, string]> } | undefined
      return visitor.post("/device", [...(form?.hidden ?? []), ["decision", "allow"]], { "content-type": "text/plain" })
    },
    expect: shown("form_stale"),
  },
  {
    title: "RFC 8628 §5.4: approving takes a CSRF token",
    rule: "device-page.csrf",
    run: async (w) => {
      const device = await begin(w)
      return (await signedIn(w)).post("/device", { user_code: String(device.json?.["user_code"]), decision: "allow" })
    },
    expect: shown("form_stale"),
  },
  {
    title: "RFC 8628 §3.3: neither allow nor deny approves nothing",
    rule: "device-page.decision",
    run: async (w) => decide(w, await begin(w), "perhaps"),
    expect: shown("form_stale"),
  },
  {
    title: "RFC 9700 §4.15: a person whose subject is a client_id approves nothing",
    rule: "device-page.apart-from-clients",
    run: async (w) => {
      const visitor = w.visitor()
      await signIn(visitor, "dave")
      return decide(w, await begin(w), "allow", visitor)
    },
    expect: shown("failed", "server_error", 500),
  },
  {
    title: "RFC 8628 §3.3: a device's approval is no session of the device: prompt=none is as before",
    rule: "person.signed-in",
    run: async (w) => {
      await approved(w)
      return authorize(w.visitor(), "web", { prompt: "none" })
    },
    expect: { status: 303, params: { error: "login_required" } },
  },
]

/** The device flow: RFC 8628, specification §2.3, §4 rules 7 to 9. */
export const cases: ReadonlyArray<Case> = [...authorizationCases, ...tokenCases, ...pageCases]
