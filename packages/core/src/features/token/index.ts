import { type Client, type Settings, refuse } from "../../model/index.ts"
import { type Grant, grantAmong } from "../../issuance/index.ts"
import { tokenPath } from "../../rules/clientAuthentication.ts"
import { type FormRequest, formEncoded, parametersOnce } from "../../rules/form.ts"
import { detailsParameter } from "../../rules/details/index.ts"
import { algorithmRefused, profileOf, valueRefused } from "../../rules/profile.ts"
import { pass, table } from "../../rules/rule.ts"
import { authenticated } from "../../settle/client.ts"
import { confirmed } from "../../settle/confirmation.ts"
import { type Asked, type Endpoint, endpoint } from "../../settle/endpoint.ts"
import { refuseJson } from "../../settle/programs.ts"
import { addressLimited, clientLimited } from "../../settle/rate.ts"
import { row } from "../../settle/stage.ts"
import { type Params, isForm, readParams } from "../../wire/index.ts"

/** Judges the form of a token request before its client is authenticated (RFC 6749 §3.2). */
const form = table<FormRequest>("token/form").include(formEncoded("token")).include(parametersOnce("token"))

interface TokenSeen {
  readonly settings: Settings
  readonly client: Client
  readonly grantType: string | undefined
  /** The grant of the request's grant_type. */
  readonly grant: Grant | undefined
  readonly params: Params
}

/** Judges whether an authenticated client may use a grant (RFC 6749 §5.2). */
const allowance = table<TokenSeen>("token/grant-type")
  .present("token.grant-type-present", "RFC 6749 §5.2", "grantType", () => refuse("invalid_request", "The grant_type is missing."))
  .present("token.grant-type-known", "RFC 6749 §5.2", "grant", () =>
    refuse("unsupported_grant_type", "The grant_type is not supported.", "no grant has this name"),
  )
  .rule("token.grant-type-allowed", "RFC 6749 §5.2", (s) =>
    s.client.grantTypes.includes(s.grantType)
      ? pass
      : refuse("unauthorized_client", "The client may not use this grant_type.", "not among the client's grant_types"),
  )
  .rule("token.grant-type-profile", "draft-ietf-oauth-v2-1 §10", (s) => valueRefused(s, "refusedGrantTypes", "grant_type", s.grantType))
  .rule("token.algorithm-profile", "FAPI 2.0 Security Profile §5.4.1 (1), FAPI 1.0 Part 2 §8.6", ({ client, settings }) =>
    algorithmRefused(profileOf(client, settings), [
      client.accessTokenFormat === "jwt" ? client.accessTokenSignedResponseAlg : undefined,
      client.scope.includes("openid") ? client.idTokenSignedResponseAlg : undefined,
    ]),
  )
  .rule("token.details-taken", "RFC 9396 §6", ({ grant, params, settings }) =>
    grant.details === true || settings.details === undefined || params.one(detailsParameter) === undefined
      ? pass
      : refuse("invalid_authorization_details", "This grant_type takes no authorization_details."),
  )

/** The token endpoint with the given grants: RFC 6749 §3.2, specification §2.2. */
export const token = (all: ReadonlyArray<Grant>): Endpoint => {
  const grantsOf = new Map(all.map(({ grantType }) => [grantType, all.filter((each) => each.grantType === grantType)]))
  const { tables, attempt } = row<Asked>(refuseJson)
    .through(addressLimited("token", "address"))
    .read(({ message }) => {
      const params = readParams(message.body)
      const grantType = params.one("grant_type")
      const grant = grantAmong(grantsOf.get(grantType ?? "") ?? [], params)
      return { params, isForm: isForm(message.headers["content-type"]), grantType, grant, repeatable: grant?.repeatable }
    })
    .judge(form)
    .through(authenticated)
    .through(clientLimited("token", "client"))
    .read((_, { ports: { settings } }) => ({ settings }))
    .judge(allowance)
    .through(confirmed)
    .decide(({ grant, params, client }, inquiry) => grant.attempt({ params, client }, inquiry))
  return endpoint(
    { name: "token", path: tokenPath, methods: ["POST"], audience: "programs", cors: true },
    { tables: [...tables, ...all.flatMap((each) => each.tables)], attempt },
  )
}
