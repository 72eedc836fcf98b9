import { type Client, type Seconds, isPublic } from "../model/index.ts"
import type { Limited } from "../ports/index.ts"
import { addressKey } from "../wire/index.ts"
import type { Inquiry } from "./request.ts"

const senderOf = ({ address }: Inquiry): string | undefined => (address === undefined ? undefined : addressKey(address))

/** Takes one request of the address that asks; undefined where there is no limit, or no address to hold to it. */
export const takeOfAddress = (of: Limited, inquiry: Inquiry): Seconds | undefined => {
  const from = senderOf(inquiry)
  return from === undefined ? undefined : inquiry.ports.limiter?.take(of, from, inquiry.millis)
}

/** Takes one request of a client. Anybody may give a public client's name: it is limited for each address by itself. */
export const takeOfClient = (of: Limited, client: Client, inquiry: Inquiry): Seconds | undefined => {
  const sender = isPublic(client) ? JSON.stringify([client.clientId, senderOf(inquiry)]) : client.clientId
  return inquiry.ports.limiter?.take(of, sender, inquiry.millis)
}
