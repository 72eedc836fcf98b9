import type { Client, Refusal } from "../../model/index.ts"
import { together } from "../../ports/steps.ts"
import { requiredOf } from "../../settle/confirmation.ts"
import type { Asked } from "../../settle/endpoint.ts"
import { refuseJson } from "../../settle/programs.ts"
import { sectorFaultOf } from "../../settle/sector.ts"
import { row, where } from "../../settle/stage.ts"
import type { Params } from "../../wire/index.ts"
import type { ClientRequest } from "./evidence.ts"
import { hintOf } from "./load.ts"
import { type AuthorizeRequest, authorizeRequest, keptParams } from "./parse.ts"
import { loadRequestObject } from "./request-object/load.ts"
import { parameterRules, requestObjectRules } from "./request-object/rules.ts"
import { clientRules, requestRules, trustRules } from "./rules.ts"

interface Sent extends Asked {
  readonly params: Params
  readonly client: Client
}

const carriesObject = ({ params }: Pick<AuthorizeRequest, "params">): boolean => params.one("request") !== undefined

/** Opens the request object of a request that a client sends itself. */
const opened = row<ClientRequest>(refuseJson)
  .read(loadRequestObject)
  .judge(requestObjectRules, refuseJson)
  .read(({ request }) => request)

/** Validates a request that an authenticated client sends by itself, by the rules that a browser's meets (RFC 9126 §2.1). */
export const validated = row<Sent, Refusal>(refuseJson)
  .read(({ message, params, client }, { ports }) => ({
    ...authorizeRequest(params, true, message.body.length, ports.settings.authorizationParameters),
    clientId: client.clientId,
    settings: ports.settings,
  }))
  .judge(clientRules, refuseJson)
  .judge(parameterRules)
  .through(where(carriesObject, opened))
  .judge(trustRules, refuseJson)
  .read((s, inquiry) =>
    together({
      hint: hintOf(s, inquiry),
      sectorFault: sectorFaultOf(s.client, inquiry),
      mustBeBound: requiredOf(s.client, inquiry).length > 0,
    }),
  )
  .judge(requestRules)

/** The parameters that are kept of a validated request. The client is its sender, however that was named. */
export const keptRequest = (s: ClientRequest): ReadonlyArray<readonly [string, string]> => [
  ["client_id", s.client.clientId],
  ...keptParams(s).filter(([name]) => name !== "client_id"),
]
