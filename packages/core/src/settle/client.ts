import * as Effect from "effect/Effect"
import type { Client, Refusal } from "../model/index.ts"
import { isPublic } from "../model/index.ts"
import { type ClientSeen, type PresentedClient, clientAuthentication } from "../rules/clientAuthentication.ts"
import { judge } from "../rules/rule.ts"
import type { Inquiry } from "./request.ts"

/** A client that is who it says, or why it is not. */
export type AuthenticatedClient =
  | { readonly client: Client; readonly refusal?: never }
  | { readonly client?: never; readonly refusal: Refusal }

/** Loads the presented client and applies the client authentication table. */
export const authenticateClient = Effect.fnUntraced(function* (presented: PresentedClient, inquiry: Inquiry) {
  const { clients } = inquiry.ports
  const client = presented.clientId === undefined ? undefined : yield* clients.find(presented.clientId)
  const judged = client !== undefined && !isPublic(client) && presented.secret !== undefined
  const seen: ClientSeen = { client, secretMatches: judged ? yield* clients.verifySecret(client.clientId, presented.secret) : false }
  const refusal = judge(inquiry.trace, clientAuthentication, presented, seen)
  inquiry.about.clientId = client?.clientId
  if (refusal !== undefined) return { refusal } satisfies AuthenticatedClient as AuthenticatedClient
  if (client === undefined) return yield* Effect.die(new Error("a client was authenticated that does not exist"))
  return { client } satisfies AuthenticatedClient as AuthenticatedClient
})
