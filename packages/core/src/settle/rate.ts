import * as Effect from "effect/Effect"
import { type Client, type Decision, type Refusal, type Seconds, isPublic } from "../model/index.ts"
import type { Limited } from "../ports/index.ts"
import { type PageRefusal, toPage } from "../rules/page.ts"
import { type RateTable, addressRate, clientRate, pageRate } from "../rules/rate.ts"
import { judge } from "../rules/rule.ts"
import { addressKey } from "../wire/index.ts"
import { refuseJson } from "./programs.ts"
import type { Inquiry } from "./request.ts"
import { Decided, type Stage } from "./stage.ts"

const senderOf = ({ address }: Inquiry): string | undefined => (address === undefined ? undefined : addressKey(address))

/** Counts one request of the sender's address; undefined if there is no limit or no address. */
export const takeOfAddress = (of: Limited, inquiry: Inquiry): Seconds | undefined => {
  const { limiter } = inquiry.ports
  const from = limiter === undefined ? undefined : senderOf(inquiry)
  return from === undefined ? undefined : limiter?.take(of, from, inquiry.millis)
}

/** Counts one request of a client. Anybody can use a public client's id, so it is limited separately for each address. */
export const takeOfClient = (of: Limited, client: Client, inquiry: Inquiry): Seconds | undefined => {
  const { limiter } = inquiry.ports
  if (limiter === undefined) return undefined
  const sender = isPublic(client) ? JSON.stringify([client.clientId, senderOf(inquiry)]) : client.clientId
  return limiter.take(of, sender, inquiry.millis)
}

/** Limits the request rate, if there is a limit. */
const limited = <In extends object, R extends Refusal | PageRefusal>(
  table: RateTable<R>,
  take: (seen: In, inquiry: Inquiry) => Seconds | undefined,
  refuse: (refusal: R) => Decision,
): Stage<In, In> => ({
  tables: [table],
  run: (seen, inquiry) => {
    const wait = take(seen, inquiry)
    const refusal = wait === undefined ? undefined : judge(inquiry.trace, table, { wait })
    return Effect.succeed(refusal === undefined ? seen : new Decided(refuse(refusal)))
  },
})

/** Limits the request rate of an address at an endpoint for programs. */
export const addressLimited = (endpoint: string, of: Limited): Stage<object, object> =>
  limited(addressRate(endpoint), (_, inquiry) => takeOfAddress(of, inquiry), refuseJson)

/** Limits the request rate of an address at an endpoint for people. */
export const visitorsLimited = (endpoint: string, of: Limited): Stage<object, object> =>
  limited(pageRate(endpoint), (_, inquiry) => takeOfAddress(of, inquiry), toPage)

/** Limits the request rate of an authenticated client at an endpoint. */
export const clientLimited = (endpoint: string, of: Limited): Stage<{ readonly client: Client }, object> =>
  limited(clientRate(endpoint), ({ client }: { readonly client: Client }, inquiry) => takeOfClient(of, client, inquiry), refuseJson)
