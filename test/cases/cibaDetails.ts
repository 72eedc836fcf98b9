import { type Fields, ask, askedClaims, asking, decide, deliver, modelOf, open, poll } from "../support/asking.ts"
import { detailTypes, payment, withDetails, written } from "../support/details.ts"
import { post, signedIn } from "../support/flows.ts"
import { signed } from "../support/requestObjects.ts"
import type { Said } from "../support/visitor.ts"
import type { World, WorldOptions } from "../support/world.ts"
import { type Case, type Expectation, refused } from "./case.ts"

const details = withDetails()
const ciba = asking()

/** A world in which the clients that ask people may ask for authorization details. */
const options: WorldOptions = {
  clients: [
    ...(details.clients ?? []),
    ...(ciba.clients ?? []).flatMap((each) =>
      (details.clients ?? []).some(({ client_id }) => client_id === each.client_id)
        ? []
        : [
            {
              ...each,
              scope: `${each.scope ?? ""} pay`,
              authorization_details_types: each.client_id === "signs" ? ["report"] : Object.keys(detailTypes),
            },
          ],
    ),
  ],
  more: { ...details.more, ...ciba.more },
}

const accounts = (...ids: ReadonlyArray<string>) => ({ type: "accounts", accounts: ids })
const error = "invalid_authorization_details"
const invalid = (problem: string): Expectation => refused(error, `The authorization_details are not valid: ${problem}.`)

const asksFor = (w: World, asked: string, clientId = "till", more: Fields = {}): Promise<Said> =>
  ask(w, clientId, { authorization_details: asked, ...more })

/** The tokens of a request that its person has allowed. */
const allowed = async (w: World, asked: string, more: Readonly<Record<string, string>> = {}, scope = "openid"): Promise<Said> => {
  const request = await asksFor(w, asked, "till", { scope })
  await decide(w, request)
  return poll(w, request, "till", more)
}

const faults = [
  ["details-form", "[{", "it is not JSON"],
  ["details-type", written({ type: "loan" }), "[0] has an unknown type"],
  ["details-fields", written({ type: "report", pages: 0 }), "[0].pages must be a whole number from 1 to 100"],
] as const

/** Authorization details in backchannel requests: RFC 9396 §3, CIBA Core §7.1. */
export const cases: ReadonlyArray<Case> = [
  ...faults.flatMap(([rule, text, problem]): ReadonlyArray<Case> => [
    {
      title: `RFC 9396 §5, CIBA Core §13: refuses a request whose details are wrong: ${problem}`,
      rule: `ciba.${rule}`,
      options,
      run: (w) => asksFor(w, text),
      expect: invalid(problem),
    },
    {
      title: `RFC 9396 §6: refuses a token request whose details are wrong: ${problem}`,
      rule: `ciba-grant.${rule}`,
      options,
      run: (w) => allowed(w, written(accounts("a")), { authorization_details: text }),
      expect: invalid(problem),
    },
  ]),
  {
    title: "RFC 9396 §6.1: a client cannot fetch more than its person allowed",
    rule: "ciba-grant.details-narrow",
    options,
    run: (w) => allowed(w, written(accounts("a")), { authorization_details: written(accounts("b")) }),
    expect: invalid("[0] goes beyond what was granted"),
  },
  {
    title: "RFC 9396 §10: refuses a type that the client may not use",
    rule: "ciba.details-type",
    options,
    run: async (w) =>
      post(w, "/connect/ciba", "signs", {
        request: await signed(askedClaims("signs", { authorization_details: [payment()] }), {}),
      }),
    expect: invalid("[0] has a type that the client may not use"),
  },
  {
    title: "RFC 9396 §2, CIBA Core §7.1.1: a signed request carries details as JSON",
    rule: undefined,
    options,
    run: async (w) =>
      post(w, "/connect/ciba", "signs", {
        request: await signed(
          askedClaims("signs", {
            authorization_details: [
              { type: "report", pages: 2 },
              { type: "report", pages: 3 },
            ],
          }),
          {},
        ),
      }),
    expect: { status: 200, json: { expires_in: 300 } },
  },
  {
    title: "RFC 9396 §7: the answer has the details that were granted",
    rule: undefined,
    options,
    run: (w) => allowed(w, written(accounts("a", "b"))),
    expect: { status: 200, json: { authorization_details: [{ type: "accounts", accounts: ["a", "b"] }] } },
  },
  {
    title: "RFC 9396 §6.1: a client may fetch less than its person allowed",
    rule: undefined,
    options,
    run: (w) => allowed(w, written(accounts("a", "b")), { authorization_details: written(accounts("b")) }),
    expect: { status: 200, json: { authorization_details: [{ type: "accounts", accounts: ["b"] }] } },
  },
  {
    title: "RFC 9396 §7, CIBA Core §10.3.1: pushed tokens come with the details that were granted",
    rule: undefined,
    options,
    run: async (w) => {
      const last = await decide(w, await asksFor(w, written(payment()), "pushed"))
      const [first] = (await deliver(w)).received
      return { ...last, json: { details: first?.body["authorization_details"] } }
    },
    expect: { status: 200, json: { details: [payment()] } },
  },
  {
    title: "RFC 9396 §2, CIBA Core §8: the person sees each detail before they answer",
    rule: undefined,
    options,
    run: async (w) => {
      const shown = await open(await signedIn(w), await asksFor(w, written(payment("12.50"))))
      const [detail] = (modelOf(shown)["details"] ?? []) as ReadonlyArray<{ readonly detail: unknown }>
      return { ...shown, json: { detail: detail?.detail } }
    },
    expect: { status: 200, json: { detail: payment("12.50") } },
  },
  {
    title: "RFC 9396 §10: details of a type that was taken from the client meanwhile are not granted",
    rule: undefined,
    options,
    run: async (w) => {
      const request = await asksFor(w, written(accounts("a"), { type: "report", pages: 2 }))
      const known = w.clients.get("till")
      if (known !== undefined) w.clients.set("till", { ...known, members: { ...known.members, authorization_details_types: ["report"] } })
      await decide(w, request)
      return poll(w, request)
    },
    expect: { status: 200, json: { authorization_details: [{ type: "report", pages: 2 }] } },
  },
]
