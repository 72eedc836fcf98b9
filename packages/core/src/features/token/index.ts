import type { ExtensionGrant } from "../../extension/index.ts"
import type { Client, Decision, Refusal } from "../../model/index.ts"
import { refuse } from "../../model/index.ts"
import { steps } from "../../ports/steps.ts"
import { tokenPath } from "../../rules/clientAuthentication.ts"
import { type FormRequest, formEncoded, parametersOnce } from "../../rules/form.ts"
import { addressRate, clientRate } from "../../rules/rate.ts"
import { held, judge, pass, rule, table } from "../../rules/rule.ts"
import { authenticateClient } from "../../settle/client.ts"
import { takeOfAddress, takeOfClient } from "../../settle/rate.ts"
import { isForm, readParams } from "../../wire/index.ts"
import type { Endpoint } from "../../settle/endpoint.ts"
import { defineExtension } from "./extension.ts"
import type { Grant } from "../../settle/grant.ts"

/** How a token request must look before its client is asked for (RFC 6749 §3.2). */
export const tokenForm = table<FormRequest, undefined>("token/form", [formEncoded("token"), parametersOnce("token")])

/** Judges whether an address may ask at all. */
export const tokenAddressRate = addressRate("token")

/** Judges whether a client may ask. */
export const tokenClientRate = clientRate("token")

interface GrantRequest {
  readonly grantType: string | undefined
}

interface GrantSeen {
  readonly client: Client
  /** The grant of the request's grant_type. */
  readonly grant: Grant | undefined
}

/** Which grant an authenticated client may use (RFC 6749 §5.2). */
export const tokenGrant = table<GrantRequest, GrantSeen>("token/grant-type", [
  rule("token.grant-type-present", "RFC 6749 §5.2", (q) =>
    q.grantType === undefined ? refuse("invalid_request", "The grant_type is missing.") : pass,
  ),
  rule("token.grant-type-known", "RFC 6749 §5.2", (_, s) =>
    s.grant === undefined ? refuse("unsupported_grant_type", "The grant_type is not supported.", "no grant has this name") : pass,
  ),
  rule("token.grant-type-allowed", "RFC 6749 §5.2", (q, s) =>
    s.client.grantTypes.includes(held(q.grantType))
      ? pass
      : refuse("unauthorized_client", "The client may not use this grant_type.", "not among the client's grant_types"),
  ),
])

const refuseJson = (refusal: Refusal): Decision => ({ _tag: "RefuseJson", refusal })

/** The token endpoint, with the grants and extension grants it was given: RFC 6749 §3.2, §4.5, specification §2.2. */
export const token = (grants: ReadonlyArray<Grant>, extensions: ReadonlyArray<ExtensionGrant>): Endpoint => {
  const grantOf = new Map([...grants, ...extensions.map(defineExtension)].map((grant) => [grant.grantType, grant]))
  return { name: "token", path: tokenPath, methods: ["POST"], audience: "programs", cors: true, attempt: answer(grantOf) }
}

const answer = (grantOf: ReadonlyMap<string, Grant>): Endpoint["attempt"] =>
  steps(function* (message, inquiry) {
    const { trace } = inquiry
    const crowded = takeOfAddress("address", inquiry)
    const rushed = crowded === undefined ? undefined : judge(trace, tokenAddressRate, undefined, { wait: crowded })
    if (rushed !== undefined) return refuseJson(rushed)
    const params = readParams(message.body)
    const request = { grantType: params.one("grant_type") }
    const grant = grantOf.get(request.grantType ?? "")
    const form: FormRequest = { params, isForm: isForm(message.headers["content-type"]), repeatable: grant?.repeatable ?? [] }
    const malformed = judge(trace, tokenForm, form, undefined)
    if (malformed !== undefined) return refuseJson(malformed)
    const { client, refusal } = yield* authenticateClient(message, params, inquiry)
    if (client === undefined) return refuseJson(refusal)
    const taken = takeOfClient("client", client, inquiry)
    const hasty = taken === undefined ? undefined : judge(trace, tokenClientRate, undefined, { wait: taken })
    if (hasty !== undefined) return refuseJson(hasty)
    const unusable = judge(trace, tokenGrant, request, { client, grant })
    if (unusable !== undefined) return refuseJson(unusable)
    return yield* held(grant).attempt(params, client, inquiry)
  })
