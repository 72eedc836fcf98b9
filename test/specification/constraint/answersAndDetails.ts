import { type Clause, clause, contexts, details, granted, jarm } from "./clause.ts"
import { from } from "../line.ts"

/** Responses as JWTs: JARM. */
const responses: ReadonlyArray<Clause> = [
  clause("J-1", "JARM §2.3", "jwt is query.jwt for a code and fragment.jwt for tokens; there is form_post.jwt", {
    rules: "authorize.response-mode-known",
    asked: "jarm.answer jarm.place jarm.fragment jarm.form-post",
    tests: jarm(
      "JARM §2.3.4, §2.1: jwt with code is one signed JWT, after the ?",
      "JARM §2.3.4, §2.1: jwt with code id_token is one signed JWT, after the #",
      "JARM §2.3.3, §2.1: form_post.jwt with code is one signed JWT, in a form",
    ),
  }),
  clause("J-2", "JARM §2.1", "iss, aud, an exp that is near, and all parameters of the plain response, errors too", {
    reason: "The content of the JWT.",
    asked: "jarm.content jarm.short-lived jarm.error",
    tests: jarm(
      "JARM §2.1: the JWT holds the code of the plain response, and the code is good",
      "JARM §2.1: a denial that a person gives is a JWT too",
    ),
  }),
  clause("J-3", "RFC 9207 §2, JARM §2.1", "iss is in the JWT, and not beside it", {
    reason: "The response mode writes one parameter.",
    asked: "jarm.alone",
    tests: jarm("JARM §2.3.1, §2.1: query.jwt with code is one signed JWT, after the ?"),
  }),
  clause("J-4", "JARM §2.3.1", "tokens come in no query that is not encrypted", {
    rules: "authorize.response-mode-query",
    tests: jarm("JARM §2.3.1: tokens come in a query that is encrypted to the client"),
  }),
  clause("J-5", "JARM §2.2, §3", "signed by the client's algorithm, never none; encrypted where it says so", {
    rules: "registration.response-encryption-alg registration.response-encryption-keys",
    tests: jarm(
      "JARM §3: signed by the algorithm that the client names",
      "JARM §2.2: where the client's keys cannot be fetched nothing is answered in the clear",
    ),
  }),
  clause("J-6", "JARM §4", "discovery states modes and algorithms", {
    reason: "Members of discovery, derived from the features.",
    tests: from("test/core/metadata.test.ts")("RFC 8414 §2: every response mode stated works, and every grant type stated is known"),
  }),
  clause("J-7", "JARM §2.3", "one parameter, response, and nothing else", {
    reason: "The response mode writes one parameter.",
    asked: "jarm.alone",
    tests: from("test/clients/oauth4webapi.test.ts")(
      "JARM §2.4: a response as a JWT is verified, decrypted, and its code redeemed; an error is a JWT too",
    ),
  }),
  clause("J-8", "JARM §2.1, RFC 9700 §4.11.2", "only a request whose client or redirect_uri is not trusted gets a page", {
    rules: "authorize.redirect-uri-registered authorize.client-known",
    tests: jarm("JARM §2.1: a redirect_uri that is not the client's gets a page, whatever the mode"),
  }),
]

/** Rich authorization requests: RFC 9396. */
const authorizationDetails: ReadonlyArray<Clause> = [
  clause("R-1", "RFC 9396 §2, §3, §6", "an array of objects with a type, wherever a client asks", {
    rules: `authorize.details-form code.details-form refresh.details-form client-credentials.details-form device-authorization.details-form device.details-form
      ciba.details-form`,
    tests: details("RFC 9101 §4: takes details as an array of a request object", "RFC 9396 §12: takes details that were pushed"),
  }),
  clause("R-2", "RFC 9396 §5", "unknown types and fields, and types of other clients, are invalid_authorization_details", {
    rules: "authorize.details-type authorize.details-fields code.details-type refresh.details-fields",
  }),
  clause("R-3", "RFC 9396 §2.2", "locations, actions, datatypes, identifier and privileges as the type has them", {
    rules: "authorize.details-fields",
  }),
  clause("R-4", "RFC 9396 §3.1, §3.2", "scope and resource count beside it, and locations widen no audience", {
    rules: "authorize.resource-allowed",
    tests: [
      ...granted("locations bound it, and never widen what resource asks for (RFC 9396 §3.2)"),
      ...details("RFC 9396 §3.1: details need no scope beside them"),
    ],
  }),
  clause("R-5", "RFC 9396 §3, §7", "a person sees every detail, and may take some away", {
    rules: "person.consented interaction.consent-details",
    tests: granted(
      "with what the sentence does not say beside it, and nothing hidden",
      "and may take some away",
      "a form that asks for more than the page gets what the page asked for at most",
    ),
  }),
  clause("R-6", "RFC 9396 §7, §7.1", "the token response tells what was granted, with what the provider filled in", {
    reason: "The content of the answer.",
    tests: granted(
      "is in the token response and in the JWT",
      "from a claim of the person, who sees it",
      "and what has become more since is not covered by what is remembered, nor by the grant",
    ),
  }),
  clause("R-7", "RFC 9396 §6.1", "a token request and a refresh narrow, type by type, and never widen", {
    rules: "code.details-narrow refresh.details-narrow device.details-narrow ciba-grant.details-narrow",
    tests: [
      ...granted("for its access token alone: the grant keeps all of it"),
      ...from("test/properties/details.test.ts")(
        "is a partial order: every detail is within itself, and within all that it is within by steps",
        "of what is ticked, whatever it is, each is within what was asked for",
        "a remembered consent covers nothing that it was not given for, however often it is merged",
      ),
    ],
  }),
  clause("R-8", "RFC 9396 §9", "a token and an introspection have the details of their audience", {
    reason: "The content of tokens and introspections.",
    tests: granted(
      "a token for one resource has those of this resource",
      "a token for several has all, and each resource is shown its own",
      "is in the row of a reference token, and in its introspection",
    ),
  }),
  clause("R-9", "RFC 9396 §10", "discovery names the types, and a client's metadata those that it may use", {
    rules: "registration.authorization-details-types authorize.details-type",
    tests: granted("discovery names the types, where there are any"),
  }),
  clause("R-10", "RFC 9396 §12", "where they must be protected, they are pushed or signed", {
    rules: "authorize.details-protected request-object.details-signed",
    tests: details("RFC 9396 §12: a profile holds its clients to it"),
  }),
]

/** Stronger sign-ins: RFC 9470. */
const stepUp: ReadonlyArray<Clause> = [
  clause("S-1", "RFC 9470 §3", "an API answers 401 insufficient_user_authentication with acr_values and max_age", {
    rules: "resource.acr resource.auth-time",
    tests: from("test/verify/answers.test.ts")("of %s"),
  }),
  clause(
    "S-2",
    "RFC 9470 §4, §5, OpenID Connect Core §5.5.1.1",
    "acr_values and max_age hold; an essential acr that is not met is an error",
    {
      rules: "person.acr-voluntary person.acr-essential person.max-age",
      tests: contexts("RFC 9470 §5: the new sign-in reaches it, and tokens say so (acr_values)"),
    },
  ),
  clause("S-3", "RFC 9470 §6", "tokens and introspections tell the acr and the time of the sign-in, not of the refresh", {
    reason: "The content of tokens and introspections.",
    tests: contexts(
      "RFC 9470 §6.2: an introspection tells the acr and the auth_time of a reference token",
      "RFC 9470 §6: an access token that was refreshed has the auth_time and the acr of the sign-in, not of the refresh (web)",
    ),
  }),
  clause("S-4", "RFC 9470 §7", "discovery states the contexts", {
    reason: "A member of discovery.",
    tests: contexts(
      "OpenID Connect Discovery §3: acr_values_supported names what a sign-in here reaches, and nothing of other providers where there are none",
    ),
  }),
  clause("S-5", "ID-JAG §9.2", "a sign-in that is too weak or too old gives no ID-JAG", { rules: "id-jag.authentication" }),
]

/** The issuer of a response: RFC 9207. */
const issuer: ReadonlyArray<Clause> = [
  clause("I-1", "RFC 9207 §2", "iss comes with every success and every error, in every mode", {
    reason: "Every response is written by one function.",
    asked: "authorize.iss-issuer",
    tests: [
      ...from("test/cases/authorize.ts")("RFC 9207 §2: errors carry iss"),
      ...from("test/checklist/metadata.test.ts")(
        "security-checklist, Metadata and keys: every stated response mode works, and nothing unstated (OAuth 2.0 Multiple Response Types §2.1)",
      ),
    ],
  }),
  clause("I-2", "RFC 9207 §3", "discovery says so", {
    reason: "A member of discovery.",
    asked: "discovery.iss-parameter",
    tests: from("test/checklist/metadata.test.ts")(
      "security-checklist, Metadata and keys: authorization_response_iss_parameter_supported is true and iss comes (RFC 9207 §3)",
    ),
  }),
  clause("I-3", "RFC 9207 §2.4, RFC 8414 §3.3", "it is the issuer of the metadata, byte for byte", {
    reason: "Both are the configured issuer.",
    tests: from("test/core/metadata.test.ts")(
      "RFC 8414 §3.3: issuer is the configured one, byte for byte, at both paths, whatever Host and X-Forwarded-* say",
    ),
  }),
  clause("I-4", "RFC 9207 §2", "it comes beside an ID token too", {
    reason: "Every response is written by one function.",
    tests: from("test/settle/tokens.test.ts")(
      "RFC 6749 §4.2.2, RFC 9207 §2: tokens of the front channel go with their scope, then state and iss; a mode signs them where it says so",
    ),
  }),
]

export const answersAndDetails: ReadonlyArray<Clause> = [...responses, ...authorizationDetails, ...stepUp, ...issuer]
