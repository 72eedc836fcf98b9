import type { CibaOptions, WaitingAuthentication } from "@postern/core"
import * as Schema from "effect/Schema"
import { absent, between, described, section } from "./described.ts"
import { Secret } from "./secretSchema.ts"

/** Requests of clients that ask people on their own devices. */
export const Ciba = section("Ciba", "Client-initiated backchannel authentication (OpenID Connect CIBA). Off without this section.", {
  request_lifetime: [
    absent(between(30, 3600)),
    "Seconds that a request waits for its person, where the client asks for no other time. Default: 300.",
  ],
  polling_interval: [absent(between(1, 60)), "Minimum interval between two polls of a client, in seconds. Default: 5."],
  waiting_per_person: [absent(between(1, 20)), "Requests that may wait for one person at once. Default: 3."],
  prompts_per_person: [
    absent(between(1, 100)),
    "Requests that one person may get within ten minutes, from all clients together. Default: 10.",
  ],
  notification: [
    absent(
      Schema.Struct(
        described({
          endpoint: [
            Schema.String.check(Schema.isPattern(/^https?:\/\/\S+$/u, { expected: "an http or https URL" })),
            "The URL of your own service that tells people, by push message, e-mail or text message; JSON is sent to it by POST.",
          ],
          token: [absent(Secret), 'The bearer token that it asks for, best from { "env": … } or { "file": … }. Default: none.'],
        }),
      ),
    ),
    "The service that tells people that a request waits. Without it, they find it on the page /approve.",
  ],
})

type Declared = typeof Ciba.Type

/** Milliseconds that the operator's service may take for a notification. */
const longestWait = 10_000

/** Tells the operator's service of a request: it answers 2xx, or is asked again. */
const notifyBy =
  (endpoint: string, token: string | undefined) =>
  async (
    { subject, clientId, clientName, bindingMessage, address, expiresAt }: WaitingAuthentication,
    signal: AbortSignal,
  ): Promise<void> => {
    const answer = await fetch(endpoint, {
      method: "POST",
      redirect: "error",
      signal: AbortSignal.any([signal, AbortSignal.timeout(longestWait)]),
      headers: { "content-type": "application/json", ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) },
      body: JSON.stringify({
        subject,
        client_id: clientId,
        client_name: clientName,
        binding_message: bindingMessage,
        approval_uri: address,
        expires_at: expiresAt,
      }),
    })
    await answer.body?.cancel()
    if (!answer.ok) throw new Error(`ciba.notification.endpoint answered with status ${answer.status}`)
  }

/** The settings of CIBA that a configuration states. */
export const cibaOptions = (
  { request_lifetime, polling_interval, waiting_per_person, prompts_per_person, notification }: Declared,
  textOf: (secret: NonNullable<Declared["notification"]>["token"]) => string | undefined,
): CibaOptions => ({
  lifetime: request_lifetime,
  interval: polling_interval,
  mostWaiting: waiting_per_person,
  mostPrompts: prompts_per_person,
  notify: notification && notifyBy(notification.endpoint, textOf(notification.token)),
})
