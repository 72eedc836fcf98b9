import { type Received, json, textOf } from "../exchange/exchange.ts"
import { first, holds, notStored, refused, shown, status, success } from "../oracle/finding.ts"
import { type Needs, type Requirement, requirement } from "../requirement/requirement.ts"
import { Inconclusive } from "../target/target.ts"
import type { Choices, Steps } from "../steps/steps.ts"

const metadata = { device_authorization_endpoint: undefined } as const
const needs: Needs = { clients: ["device"], metadata }
const withPerson: Needs = { ...needs, person: true }

const grant = "urn:ietf:params:oauth:grant-type:device_code"

const begin = (t: Steps, more: Readonly<Record<string, string | undefined>> = {}): Promise<Received> =>
  t.post("device_authorization_endpoint", { scope: "openid", ...more }, "device")

const started = async (t: Steps) => {
  const received = await begin(t)
  const answer = json(received)
  if (received.status !== 200 || answer === undefined) throw new Inconclusive(`no device code came: status ${received.status}`, received)
  return answer
}

const poll = (t: Steps, code: unknown): Promise<Received> => t.token({ grant_type: grant, device_code: textOf(code) }, "device")

/** Opens the verification page, signs in, and lets the device in or not. */
const verify = async (t: Steps, answer: Readonly<Record<string, unknown>>, choices: Choices = {}): Promise<void> => {
  const url = textOf(answer["verification_uri_complete"]) || textOf(answer["verification_uri"])
  const { met, last } = await t.browser().visit({ method: "GET", url, headers: {} }, choices, { user_code: textOf(answer["user_code"]) })
  if (!met.includes("consent")) throw new Inconclusive("the pages of the device flow are not known", last)
}

/** The device flow (RFC 8628). */
export const device: ReadonlyArray<Requirement> = [
  requirement({
    id: "device.answer",
    paragraph: "RFC 8628 §3.2",
    level: "MUST",
    title: "A device gets its codes, the address to go to, and how long they live",
    needs,
    steps: (t) => begin(t),
    oracle: (received) => {
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
    },
  }),
  requirement({
    id: "device.uri-complete",
    paragraph: "RFC 8628 §3.3.1",
    level: "MUST",
    title: "verification_uri_complete, where it is there, is an address that holds the user code",
    needs,
    steps: started,
    oracle: (answer) => {
      const complete = answer["verification_uri_complete"]
      return holds(
        complete === undefined ||
          (URL.canParse(textOf(complete)) && textOf(complete).includes(encodeURIComponent(textOf(answer["user_code"])))),
        `it is ${shown(complete)}`,
      )
    },
  }),
  requirement({
    id: "device.user-code-readable",
    paragraph: "RFC 8628 §6.1",
    level: "SHOULD",
    title: "A user code is short, and of characters that people do not mix up",
    needs,
    steps: started,
    oracle: ({ user_code: code }) => holds(/^[A-Z0-9-]{6,12}$/i.test(textOf(code)), `it is ${shown(textOf(code).length)} characters long`),
  }),
  requirement({
    id: "device.pending",
    paragraph: "RFC 8628 §3.5",
    level: "MUST",
    title: "A device that asks before anybody agreed is told to wait",
    needs,
    steps: async (t) => poll(t, (await started(t))["device_code"]),
    oracle: (received) => refused(received, [400], "authorization_pending", "slow_down"),
  }),
  requirement({
    id: "device.slow-down",
    paragraph: "RFC 8628 §3.5",
    level: "SHOULD",
    title: "A device that asks too fast is told to slow down",
    needs,
    steps: async (t) => {
      const answer = await started(t)
      await poll(t, answer["device_code"])
      return poll(t, answer["device_code"])
    },
    oracle: (received) => refused(received, [400], "slow_down"),
  }),
  requirement({
    id: "device.unknown",
    paragraph: "RFC 6749 §5.2",
    level: "MUST",
    title: "A device code that nobody has is refused",
    needs,
    steps: (t) => poll(t, t.random(32)),
    oracle: (received) => refused(received, [400], "invalid_grant", "expired_token"),
  }),
  requirement({
    id: "device.missing",
    paragraph: "RFC 8628 §3.4",
    level: "MUST",
    title: "A request without a device code is refused",
    needs,
    steps: (t) => t.token({ grant_type: grant }, "device"),
    oracle: (received) => refused(received, [400], "invalid_request"),
  }),
  requirement({
    id: "device.expired",
    paragraph: "RFC 8628 §3.5",
    level: "MUST",
    title: "A device code that has expired is refused as expired_token",
    needs: { ...needs, time: true },
    steps: async (t) => {
      const answer = await started(t)
      await t.pass(Number(answer["expires_in"]) + 1)
      return poll(t, answer["device_code"])
    },
    oracle: (received) => refused(received, [400], "expired_token"),
  }),
  requirement({
    id: "device.approved",
    paragraph: "RFC 8628 §3.5",
    level: "MUST",
    title: "A device that a person let in gets its tokens",
    needs: withPerson,
    steps: async (t) => {
      const answer = await started(t)
      await verify(t, answer)
      return poll(t, answer["device_code"])
    },
    oracle: success,
  }),
  requirement({
    id: "device.once",
    paragraph: "RFC 8628 §3.5",
    level: "MUST",
    title: "A device code gets tokens once",
    needs: withPerson,
    steps: async (t) => {
      const answer = await started(t)
      await verify(t, answer)
      return [await poll(t, answer["device_code"]), await poll(t, answer["device_code"])]
    },
    oracle: ([one, other]) =>
      first(
        one === undefined ? undefined : success(one),
        other === undefined ? undefined : refused(other, [400], "invalid_grant", "expired_token", "slow_down"),
      ),
  }),
  requirement({
    id: "device.race",
    paragraph: "RFC 8628 §3.5",
    level: "MUST",
    title: "Of sixteen requests with one approved device code at once, one gets tokens",
    needs: withPerson,
    steps: async (t) => {
      const answer = await started(t)
      await verify(t, answer)
      return Promise.all(Array.from({ length: 16 }, () => poll(t, answer["device_code"])))
    },
    oracle: (answers) => {
      const successes = answers.filter((each) => each.status === 200).length
      return holds(successes <= 1, `${successes} of ${answers.length} got tokens`)
    },
  }),
  requirement({
    id: "device.denied",
    paragraph: "RFC 8628 §3.5",
    level: "MUST",
    title: "A device that a person refused is told access_denied",
    needs: withPerson,
    steps: async (t) => {
      const answer = await started(t)
      await verify(t, answer, { consent: "refuse" })
      return poll(t, answer["device_code"])
    },
    oracle: (received) => refused(received, [400], "access_denied"),
  }),
  requirement({
    id: "device.own-client",
    paragraph: "RFC 8628 §3.4",
    level: "MUST",
    title: "A device code is of the client that began",
    needs: { ...withPerson, clients: ["device", "web"] },
    steps: async (t) => {
      const answer = await started(t)
      await verify(t, answer)
      return t.token({ grant_type: grant, device_code: textOf(answer["device_code"]) }, "web")
    },
    oracle: (received) => first(status(received, 400), refused(received, [400], "invalid_grant", "unauthorized_client", "invalid_request")),
  }),
  requirement({
    id: "device.other-client-begins",
    paragraph: "RFC 8628 §3.1",
    level: "MUST",
    title: "A client that is not registered for it begins no device flow",
    needs: { clients: ["machine"], metadata },
    steps: (t) => t.post("device_authorization_endpoint", { scope: "openid" }, "machine"),
    oracle: (received) => refused(received, [400, 401], "unauthorized_client", "invalid_client"),
  }),
  requirement({
    id: "device.codes-differ",
    paragraph: "RFC 8628 §5.2",
    level: "MUST",
    title: "No two device codes are alike, and each is long enough not to be guessed",
    needs,
    steps: async (t) => [await started(t), await started(t), await started(t)].map((answer) => textOf(answer["device_code"])),
    oracle: (codes) =>
      first(
        holds(new Set(codes).size === codes.length, "two are alike"),
        ...codes.map((code) => holds(code.length >= 22, `one is ${code.length} characters long`)),
      ),
  }),
]
