import type { CibaOptions, WaitingAuthentication } from "@postern/core"
import * as Schema from "effect/Schema"
import { absent, between, section } from "./described.ts"
import { trustedIssuer } from "./grants.ts"
import { issuerMembers } from "./issuerMembers.ts"
import { WebUrl } from "./parties.ts"
import { Secret } from "./secretSchema.ts"

/** A service run by the operator. */
const Service = section("CibaService", "A service of yours, called by POST with JSON.", {
  endpoint: [WebUrl, "The URL of the service."],
  token: [absent(Secret), 'The bearer token that it asks for, best from { "env": … } or { "file": … }. Default: none.'],
})

/** An issuer of login hint tokens. */
const HintIssuerSection = section("HintIssuer", "An issuer whose JWTs, as login_hint_token, name the user that a client wants to ask.", {
  ...issuerMembers,
  subject_ids: [
    absent(Schema.Boolean),
    "Accepts a sub_id (RFC 9493) instead of sub: a verified email or phone_number that is the user's username, or an iss_sub of this provider. Default: false.",
  ],
  reusable: [absent(Schema.Boolean), "Accepts a hint that has a jti repeatedly, until it expires. Default: false: only once."],
})

/** Client-initiated backchannel authentication. */
export const Ciba = section("Ciba", "Client-initiated backchannel authentication (OpenID Connect CIBA). Off without this section.", {
  request_lifetime: [
    absent(between(30, 3600)),
    "Seconds that a request waits for the user, unless the client asks for another time. Default: 300.",
  ],
  polling_interval: [absent(between(1, 60)), "Minimum interval between two polls of a client, in seconds. Default: 5."],
  waiting_per_person: [absent(between(1, 20)), "Maximum requests that wait for one user at the same time. Default: 3."],
  prompts_per_person: [absent(between(1, 100)), "Maximum requests to one user in ten minutes, from all clients together. Default: 10."],
  notification: [
    absent(Service),
    "The service that notifies users of a waiting request, by push message, e-mail or text message. Without it, they find the request on the page /approve.",
  ],
  user_code: [
    absent(Service),
    "The service that verifies user codes, such as PINs: clients with backchannel_user_code_parameter must send the user's code. Default: no codes.",
  ],
  login_hint_token_issuers: [
    absent(Schema.Array(HintIssuerSection).check(Schema.isMinLength(1))),
    "Issuers whose JWTs may name, as login_hint_token, the user that a client wants to ask. Default: none.",
  ],
})

type Declared = typeof Ciba.Type

/** A secret in the configuration file. */
type DeclaredSecret = NonNullable<Declared["notification"]>["token"]

/** The timeout of a call to the operator's service, in milliseconds. */
const longestWait = 10_000

/** A service to call: its URL, and the bearer token to send. */
interface Asked {
  readonly name: "notification" | "user_code"
  readonly endpoint: string
  readonly token: string | undefined
}

/** Posts JSON to the operator's service and returns the status of the response. */
const sent = async ({ endpoint, token }: Asked, content: object, signals: ReadonlyArray<AbortSignal> = []): Promise<number> => {
  const answer = await fetch(endpoint, {
    method: "POST",
    redirect: "error",
    signal: AbortSignal.any([...signals, AbortSignal.timeout(longestWait)]),
    headers: { "content-type": "application/json", ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) },
    body: JSON.stringify(content),
  })
  await answer.body?.cancel()
  return answer.status
}

const failed = ({ name }: Asked, status: number): Error => new Error(`ciba.${name}.endpoint answered with status ${status}`)

const isDone = (status: number): boolean => status >= 200 && status < 300

/** Notifies the operator's service of an authentication request. It must respond with 2xx, else the notification is retried. */
const notifyBy =
  (service: Asked) =>
  async (
    { subject, clientId, clientName, bindingMessage, address, expiresAt }: WaitingAuthentication,
    signal: AbortSignal,
  ): Promise<void> => {
    const content = {
      subject,
      client_id: clientId,
      client_name: clientName,
      binding_message: bindingMessage,
      approval_uri: address,
      expires_at: expiresAt,
    }
    const status = await sent(service, content, [signal])
    if (!isDone(status)) throw failed(service, status)
  }

/**
 * Asks the operator's service whether a user code is correct. A 2xx response means that it is, 403 or 404 that it isn't. After any other
 * response the request fails without the user being asked.
 */
const checkCodeBy =
  (service: Asked): NonNullable<CibaOptions["checkUserCode"]> =>
  async (subject, code) => {
    const status = await sent(service, { subject, user_code: code.reveal() })
    if (isDone(status)) return true
    if (status === 403 || status === 404) return false
    throw failed(service, status)
  }

/** Builds the CIBA settings of a configuration. */
export const cibaOptions = (declared: Declared, textOf: (secret: DeclaredSecret) => string | undefined): CibaOptions => {
  const asked = (name: Asked["name"]): Asked | undefined => {
    const service = declared[name]
    return service && { name, endpoint: service.endpoint, token: textOf(service.token) }
  }
  const [notification, userCode] = [asked("notification"), asked("user_code")]
  return {
    lifetime: declared.request_lifetime,
    interval: declared.polling_interval,
    mostWaiting: declared.waiting_per_person,
    mostPrompts: declared.prompts_per_person,
    notify: notification && notifyBy(notification),
    checkUserCode: userCode && checkCodeBy(userCode),
    loginHintTokenIssuers: declared.login_hint_token_issuers?.map((each) => ({
      ...trustedIssuer(each),
      subjectIds: each.subject_ids,
      reusable: each.reusable,
    })),
  }
}
