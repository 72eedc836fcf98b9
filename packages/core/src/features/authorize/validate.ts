import type { Client, Refusal } from "../../model/index.ts"
import { mapped, together } from "../../ports/steps.ts"
import { readDetails } from "../../rules/details/known.ts"
import { profileOf } from "../../rules/profile.ts"
import { foretold, mustBeBound } from "../../settle/confirmation.ts"
import type { Asked } from "../../settle/endpoint.ts"
import { refuseJson } from "../../settle/programs.ts"
import { sectorFaultOf } from "../../settle/sector.ts"
import type { Foretold } from "../../settle/inquiry.ts"
import { Decided, row, where } from "../../settle/stage.ts"
import type { Params } from "../../wire/index.ts"
import type { ClientRequest } from "./evidence.ts"
import { noObject, requestFacts } from "./facts.ts"
import { hintOf } from "./load.ts"
import { authorizeRequest, keptParams } from "./parse.ts"
import { loadRequestObject } from "./request-object/load.ts"
import { type Held, carriesObject, parameterRules, requestObjectRules } from "./request-object/rules.ts"
import { clientRules, requestRules, trustRules } from "./rules.ts"

interface Sent extends Asked {
  readonly params: Params
  readonly client: Client
}

/** Opens the request object of a request that a client sends directly. */
const opened = row<Held>(refuseJson)
  .read(loadRequestObject)
  .judge(requestObjectRules, refuseJson)
  .read(({ request }) => request)

/** Validates a request that an authenticated client sends directly, by the rules that apply to a request from a browser (RFC 9126 §2.1). */
export const validated = row<Sent, Refusal>(refuseJson)
  .read(({ message, params, client }, { ports }) => ({
    ...authorizeRequest(params, true, message.body.length, ports.settings.authorizationParameters),
    clientId: client.clientId,
    settings: ports.settings,
    profile: profileOf(client, ports.settings),
    about: carriesObject(params) ? {} : { facts: noObject },
  }))
  .judge(clientRules, refuseJson)
  .judge(parameterRules)
  .through(where(({ params }) => carriesObject(params), opened))
  .judge(trustRules, refuseJson)
  .read((s, inquiry) =>
    together({
      about: { facts: requestFacts(s) },
      hint: hintOf(s, inquiry),
      sectorFault: sectorFaultOf(s.client, inquiry),
      mustBeBound: mustBeBound(s.client, inquiry),
      details: readDetails(s.authorizationDetails, inquiry.ports.settings, s.client),
    }),
  )
  .judge(requestRules)
  .read(({ params, message, client }, inquiry) =>
    mapped(foretold({ params, message, client }, inquiry), (end) => (end instanceof Decided ? end : { foretold: end })),
  )

/**
 * The parameters of a validated request that are stored. The client is the authenticated sender, however the request named it. A key that
 * the sender has proved is stored as if a parameter had named it (RFC 9449 §10.1).
 */
export const keptRequest = (s: ClientRequest & { readonly foretold: Foretold }): ReadonlyArray<readonly [string, string]> => {
  const named: ReadonlyArray<readonly [string, string]> = [["client_id", s.client.clientId], ...(s.foretold.kept ?? [])]
  return [...named, ...keptParams(s).filter(([name]) => !named.some(([other]) => other === name))]
}
