import { type Received, json, textOf } from "../exchange/exchange.ts"
import { first, oneSuccess, holds, notStored, refused, refuses, shown, success } from "../oracle/finding.ts"
import { type Needs, type Requirement, area } from "../requirement/requirement.ts"
import { Inconclusive } from "../target/target.ts"
import type { Choices, Steps } from "../steps/steps.ts"
import type { RoleName } from "../target/roles.ts"

const metadata = { device_authorization_endpoint: undefined } as const
const needs: Needs = { clients: ["device"], metadata }
const withPerson: Needs = { ...needs, person: true }

const grant = "urn:ietf:params:oauth:grant-type:device_code"

const begin = (t: Steps, role: RoleName = "device"): Promise<Received> => t.post("device_authorization_endpoint", { scope: "openid" }, role)

const started = async (t: Steps) => {
  const received = await begin(t)
  const answer = json(received)
  if (received.status !== 200 || answer === undefined) throw new Inconclusive(`no device code came: status ${received.status}`, received)
  return answer
}

const poll = (t: Steps, code: unknown, role: RoleName = "device"): Promise<Received> =>
  t.token({ grant_type: grant, device_code: textOf(code) }, role)

/** Starts the device flow, opens the verification page, signs in, and allows or denies the device. Returns the device code. */
const letIn = async (t: Steps, choices: Choices = {}): Promise<unknown> => {
  const answer = await started(t)
  const url = textOf(answer["verification_uri_complete"]) || textOf(answer["verification_uri"])
  const { met, last } = await t.browser().visit({ method: "GET", url, headers: {} }, choices, { user_code: textOf(answer["user_code"]) })
  if (!met.includes("consent")) throw new Inconclusive("the pages of the device flow are not known", last)
  return answer["device_code"]
}

const tried = area("device", needs)
const byPerson = area("device", withPerson)

/** The device flow (RFC 8628). */
export const device: ReadonlyArray<Requirement> = [
  tried("answer", "RFC 8628 §3.2", "A device gets its codes, the address to go to, and how long they live", begin, (received) => {
    const answer = json(received) ?? {}
    return first(
      success(received),
      notStored(received),
      ...["device_code", "user_code", "verification_uri"].map((name) => holds(textOf(answer[name]) !== "", `there is no ${name}`)),
      holds(typeof answer["expires_in"] === "number" && answer["expires_in"] > 0, `expires_in is ${shown(answer["expires_in"])}`),
      holds(
        answer["interval"] === undefined || (typeof answer["interval"] === "number" && answer["interval"] > 0),
        `interval is ${shown(answer["interval"])}`,
      ),
    )
  }),
  tried(
    "uri-complete",
    "RFC 8628 §3.3.1",
    "verification_uri_complete, where it is there, is an address that holds the user code",
    started,
    (answer) => {
      const complete = answer["verification_uri_complete"]
      return holds(
        complete === undefined ||
          (URL.canParse(textOf(complete)) && textOf(complete).includes(encodeURIComponent(textOf(answer["user_code"])))),
        `it is ${shown(complete)}`,
      )
    },
  ),
  tried(
    "user-code-readable",
    "RFC 8628 §6.1",
    "A user code is short, and of characters that people do not mix up",
    started,
    ({ user_code: code }) => holds(/^[A-Z0-9-]{6,12}$/i.test(textOf(code)), `it is ${shown(textOf(code).length)} characters long`),
    "SHOULD",
  ),
  tried(
    "pending",
    "RFC 8628 §3.5",
    "A device that asks before anybody agreed is told to wait",
    async (t) => poll(t, (await started(t))["device_code"]),
    refuses("authorization_pending", "slow_down"),
  ),
  tried(
    "slow-down",
    "RFC 8628 §3.5",
    "A device that asks too fast is told to slow down",
    async (t) => {
      const { device_code: code } = await started(t)
      await poll(t, code)
      return poll(t, code)
    },
    refuses("slow_down"),
    "SHOULD",
  ),
  tried(
    "unknown",
    "RFC 6749 §5.2",
    "A device code that nobody has is refused",
    (t) => poll(t, t.random(32)),
    refuses("invalid_grant", "expired_token"),
  ),
  tried(
    "missing",
    "RFC 8628 §3.4",
    "A request without a device code is refused",
    (t) => t.token({ grant_type: grant }, "device"),
    refuses("invalid_request"),
  ),
  tried(
    "expired",
    "RFC 8628 §3.5",
    "A device code that has expired is refused as expired_token",
    async (t) => {
      const { device_code: code, expires_in: life } = await started(t)
      await t.pass(Number(life) + 1)
      return poll(t, code)
    },
    refuses("expired_token"),
    "MUST",
    { ...needs, time: true },
  ),
  byPerson("approved", "RFC 8628 §3.5", "A device that a person let in gets its tokens", async (t) => poll(t, await letIn(t)), success),
  byPerson(
    "once",
    "RFC 8628 §3.5",
    "A device code gets tokens once",
    async (t) => {
      const code = await letIn(t)
      return [await poll(t, code), await poll(t, code)] as const
    },
    ([one, other]) => first(success(one), refused(other, [400], "invalid_grant", "expired_token", "slow_down")),
  ),
  byPerson(
    "race",
    "RFC 8628 §3.5",
    "Of sixteen requests with one approved device code at once, one gets tokens",
    async (t) => {
      const code = await letIn(t)
      return t.race(() => poll(t, code))
    },
    oneSuccess,
  ),
  byPerson(
    "denied",
    "RFC 8628 §3.5",
    "A device that a person refused is told access_denied",
    async (t) => poll(t, await letIn(t, { consent: "refuse" })),
    refuses("access_denied"),
  ),
  tried(
    "own-client",
    "RFC 8628 §3.4",
    "A device code is of the client that began",
    // A client that may not use the grant would be refused for that.
    async (t) => poll(t, await letIn(t), "television"),
    refuses("invalid_grant"),
    "MUST",
    { ...withPerson, clients: ["device", "television"] },
  ),
  tried(
    "other-client-begins",
    "RFC 8628 §3.1",
    "A client that is not registered for it begins no device flow",
    (t) => begin(t, "machine"),
    (received) => refused(received, [400, 401], "unauthorized_client", "invalid_client"),
    "MUST",
    { clients: ["machine"], metadata },
  ),
  tried(
    "codes-differ",
    "RFC 8628 §5.2",
    "No two device codes are alike, and each is long enough not to be guessed",
    async (t) => [await started(t), await started(t), await started(t)].map((answer) => textOf(answer["device_code"])),
    (codes) =>
      first(
        holds(new Set(codes).size === codes.length, "two are alike"),
        ...codes.map((code) => holds(code.length >= 22, `one is ${code.length} characters long`)),
      ),
  ),
]
