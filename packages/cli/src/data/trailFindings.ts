import { paragraphs } from "@postern/core"
import type { Profile, ProfileParameters, Trail } from "@postern/core/model"

/** A demand of a profile that a client's requests did not meet. */
export interface TrailFinding {
  /** The rule that would refuse the requests. */
  readonly rule: string
  /** The specification that makes the demand. */
  readonly cites: string
  /** The number of requests that did not meet it. */
  readonly count: number
  /** The number of requests to which it applies. */
  readonly of: number
  /** A description of the difference. */
  readonly message: string
}

type Facts = NonNullable<Trail["facts"]>

/** A demand that can be evaluated from trails. */
interface Demand extends Pick<TrailFinding, "rule"> {
  /** The parameter of the profile that makes the demand. */
  readonly parameter: keyof ProfileParameters
  /** Returns the fact of a trail to evaluate; undefined if the demand does not apply to the request. */
  readonly fact: (facts: Facts, endpoint: string) => string | undefined
  /** Reports whether the profile accepts a request with this value of the fact. */
  readonly takes: (parameters: ProfileParameters, value: string) => boolean
  readonly message: (values: string) => string
}

const fact =
  (name: string): Demand["fact"] =>
  (facts) =>
    facts[name]

/** A fact, unless it has a value to which the demand does not apply. */
const factUnless =
  (name: string, apart: string): Demand["fact"] =>
  (facts) =>
    facts[name] === apart ? undefined : facts[name]

const listed = (allowed: "by-client" | ReadonlyArray<string>, value: string): boolean => allowed === "by-client" || allowed.includes(value)

const takesAlgorithm: Demand["takes"] = ({ algorithms }, value) => listed(algorithms, value)

/** The mode of a response, and whether an ID token in it serves as its signature. */
const responseOf: Demand["fact"] = ({ "response mode": mode, "response type": type }) =>
  mode === undefined || type?.split(" ").includes("id_token") !== true ? mode : `${mode} with an ID token`

const takesResponse = (responses: ProfileParameters["responses"], value: string): boolean => {
  const isJwt = /^(?:[a-z_]+\.)?jwt(?: |$)/.test(value)
  switch (responses) {
    case "by-client":
      return true
    case "query-or-jwt":
      return isJwt || value === "query"
    case "jwt":
      return isJwt
    case "jwt-or-id-token":
      return isJwt || value.endsWith(" with an ID token")
  }
}

const demands: ReadonlyArray<Demand> = [
  {
    rule: "client.method-profile",
    parameter: "authMethods",
    fact: fact("client authentication"),
    takes: ({ authMethods }, value) => listed(authMethods, value),
    message: (values) => `authenticated the client by ${values}`,
  },
  {
    rule: "assertion.audience",
    parameter: "assertionAudience",
    fact: fact("assertion aud"),
    takes: ({ assertionAudience }, value) => assertionAudience === "by-client" || value === "the issuer",
    message: (values) => `had an assertion made out to ${values}, and not to the issuer alone`,
  },
  {
    rule: "assertion.algorithm",
    parameter: "algorithms",
    fact: fact("assertion alg"),
    takes: takesAlgorithm,
    message: (values) => `had an assertion signed by ${values}`,
  },
  {
    rule: "dpop.algorithm-profile",
    parameter: "algorithms",
    fact: fact("dpop alg"),
    takes: takesAlgorithm,
    message: (values) => `had a DPoP proof signed by ${values}`,
  },
  {
    rule: "token.confirmation-profile",
    parameter: "senderConstraint",
    fact: fact("tokens bound to"),
    takes: ({ senderConstraint }, value) =>
      senderConstraint === "by-client" ||
      value.includes("a certificate") ||
      (senderConstraint === "key-or-certificate" && value === "a key"),
    message: (values) => `asked for tokens that are bound to ${values}`,
  },
  {
    rule: "authorize.pushed-request-required",
    parameter: "pushing",
    fact: (facts, endpoint) => (endpoint === "authorize" ? facts["authorization request"] : undefined),
    takes: ({ pushing }, value) => pushing === "by-client" || value === "pushed",
    message: () => "asked for authorization without pushing the request",
  },
  {
    rule: "authorize.request-object-required",
    parameter: "signedRequests",
    fact: fact("request object"),
    takes: ({ signedRequests }, value) => signedRequests === "by-client" || (value !== "none" && value !== "unsigned"),
    message: () => "asked for authorization without a signed request object",
  },
  {
    rule: "request-object.algorithm",
    parameter: "algorithms",
    fact: factUnless("request object", "none"),
    takes: takesAlgorithm,
    message: (values) => `had a request object signed by ${values}`,
  },
  {
    rule: "request-object.lifetime",
    parameter: "signedLife",
    fact: fact("request object life"),
    takes: ({ signedLife }, value) => signedLife === "by-client" || value === "an hour at most",
    message: () => "had a request object that states no aud, or no lifetime of at most an hour",
  },
  {
    rule: "authorize.challenge-required",
    parameter: "pkce",
    fact: fact("code challenge"),
    takes: ({ pkce }, value) => pkce !== "all" || value !== "none",
    message: () => "asked for a code without PKCE",
  },
  {
    rule: "pushed-authorization.challenge-required",
    parameter: "pkce",
    fact: (facts, endpoint) => (endpoint === "pushed-authorization" ? facts["code challenge"] : undefined),
    takes: ({ pkce }, value) => pkce !== "pushed" || value !== "none",
    message: () => "pushed a request for a code without PKCE",
  },
  {
    rule: "authorize.challenge-plain-allowed",
    parameter: "plainPkce",
    fact: fact("code challenge"),
    takes: ({ plainPkce }, value) => plainPkce === "by-client" || value !== "plain",
    message: () => "used a plain challenge",
  },
  {
    rule: "authorize.response-type-profile",
    parameter: "refusedResponseTypes",
    fact: fact("response type"),
    takes: ({ refusedResponseTypes }, value) => !refusedResponseTypes.includes(value),
    message: (values) => `asked for the response type ${values}`,
  },
  {
    rule: "authorize.response-mode-profile",
    parameter: "responses",
    fact: responseOf,
    takes: ({ responses }, value) => takesResponse(responses, value),
    message: (values) => `asked for a response by ${values}`,
  },
  {
    rule: "ciba.signed",
    parameter: "backchannelRequests",
    fact: fact("backchannel request"),
    takes: ({ backchannelRequests }, value) => backchannelRequests === "by-client" || value !== "not signed",
    message: () => "asked a person without a signed request",
  },
  {
    rule: "ciba-request.algorithm",
    parameter: "algorithms",
    fact: factUnless("backchannel request", "not signed"),
    takes: takesAlgorithm,
    message: (values) => `asked a person by a request signed by ${values}`,
  },
  {
    rule: "ciba.binding-message-required",
    parameter: "backchannelRequests",
    fact: fact("binding message"),
    takes: ({ backchannelRequests }, value) => backchannelRequests === "by-client" || value === "stated",
    message: () => "asked a person without a binding_message",
  },
]

/** Finds the demands of a profile that a client's requests did not meet. */
export const trailFindings = (profile: Profile, trails: ReadonlyArray<Trail>): ReadonlyArray<TrailFinding> =>
  demands.flatMap((demand): ReadonlyArray<TrailFinding> => {
    const values = trails.flatMap(({ facts = {}, endpoint }) => demand.fact(facts, endpoint) ?? [])
    const refused = values.filter((value) => !demand.takes(profile.parameters, value))
    if (refused.length === 0) return []
    const { rule, parameter, message } = demand
    return [
      {
        rule,
        cites: paragraphs[profile.name]?.[parameter] ?? profile.cites,
        count: refused.length,
        of: values.length,
        message: message([...new Set(refused)].toSorted().join(", ")),
      },
    ]
  })
