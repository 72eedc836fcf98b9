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

/** A demand that can be evaluated from trails. */
interface Demand extends Pick<TrailFinding, "rule"> {
  /** The parameter of the profile that makes the demand. */
  readonly parameter: keyof ProfileParameters
  /** The name of the trail fact to evaluate. */
  readonly fact: string
  /** Reports whether the profile accepts a request with this value of the fact. */
  readonly takes: (profile: Profile, value: string) => boolean
  readonly message: (values: string) => string
}

const listed = (allowed: "by-client" | ReadonlyArray<string>, value: string): boolean => allowed === "by-client" || allowed.includes(value)

const demands: ReadonlyArray<Demand> = [
  {
    rule: "client.method-profile",
    parameter: "authMethods",
    fact: "client authentication",
    takes: ({ parameters }, value) => listed(parameters.authMethods, value),
    message: (values) => `authenticated the client by ${values}`,
  },
  {
    rule: "assertion.audience",
    parameter: "assertionAudience",
    fact: "assertion aud",
    takes: ({ parameters }, value) => parameters.assertionAudience === "by-client" || value === "the issuer",
    message: (values) => `had an assertion made out to ${values}, and not to the issuer alone`,
  },
  {
    rule: "assertion.algorithm",
    parameter: "algorithms",
    fact: "assertion alg",
    takes: ({ parameters }, value) => listed(parameters.algorithms, value),
    message: (values) => `had an assertion signed by ${values}`,
  },
  {
    rule: "token.confirmation-profile",
    parameter: "senderConstraint",
    fact: "tokens bound to",
    takes: ({ parameters: { senderConstraint } }, value) =>
      senderConstraint === "by-client" || value === "a certificate" || (senderConstraint === "key-or-certificate" && value === "a key"),
    message: (values) => `asked for tokens that are bound to ${values}`,
  },
  {
    rule: "authorize.pushed-request-required",
    parameter: "pushing",
    fact: "authorization request",
    takes: ({ parameters }, value) => parameters.pushing === "by-client" || value === "pushed",
    message: () => "asked for authorization without pushing the request",
  },
  {
    rule: "authorize.challenge-required",
    parameter: "pkce",
    fact: "code challenge",
    takes: ({ parameters }, value) => parameters.pkce !== "all" || value !== "none",
    message: () => "asked for a code without PKCE",
  },
  {
    rule: "authorize.challenge-plain-allowed",
    parameter: "plainPkce",
    fact: "code challenge",
    takes: ({ parameters }, value) => parameters.plainPkce === "by-client" || value !== "plain",
    message: () => "used a plain challenge",
  },
  {
    rule: "authorize.response-type-profile",
    parameter: "refusedResponseTypes",
    fact: "response type",
    takes: ({ parameters }, value) => !parameters.refusedResponseTypes.includes(value),
    message: (values) => `asked for the response type ${values}`,
  },
]

/** Returns the fact of a trail that a demand evaluates. The demand for pushed requests applies only to the authorization endpoint. */
const factOf = ({ fact }: Demand, { facts, endpoint }: Trail): string | undefined =>
  fact === "authorization request" && endpoint !== "authorize" ? undefined : facts?.[fact]

/** Finds the demands of a profile that a client's requests did not meet. */
export const trailFindings = (profile: Profile, trails: ReadonlyArray<Trail>): ReadonlyArray<TrailFinding> =>
  demands.flatMap((demand): ReadonlyArray<TrailFinding> => {
    const values = trails.flatMap((trail) => factOf(demand, trail) ?? [])
    const refused = values.filter((value) => !demand.takes(profile, value))
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
