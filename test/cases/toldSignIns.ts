import type { Json } from "@postern/core"
import { claimsOf } from "../support/flows.ts"
import type { Said } from "../support/visitor.ts"
import { type World, beginning } from "../support/world.ts"
import { type Case, refused } from "./case.ts"

type Claims = Readonly<Record<string, Json | undefined>>

/** The sign-in that an answer's access token tells of; "none" for a claim that it does not have. */
const told = (answer: Said): Said => {
  const { auth_time = "none", acr = "none", amr = "none" } = claimsOf(String(answer.json?.["access_token"]))
  return { ...answer, json: { auth_time, acr, amr } as Record<string, Json> }
}

const most = Array.from({ length: 20 }, () => "m".repeat(50))

/** The map of contexts of an issuer that has one: ours by its own. */
export const mappedContexts = { "urn:example:loa2": "urn:peer:two" }

/** Cases of the sign-in that another issuer's JWT tells of, shown for a grant that takes one (OpenID Connect Core §2, RFC 9068 §2.2.1). */
export const toldSignInCases = (
  prefix: string,
  name: string,
  error: string,
  options: NonNullable<Case["options"]>,
  send: (w: World, claims: Claims) => Promise<Said>,
  mapping: NonNullable<Case["options"]>,
): ReadonlyArray<Case> => {
  const telling = (title: string, claims: Claims, json: Record<string, Json>, given = options): Case => ({
    title: `RFC 9068 §2.2.1: ${title} (${name} of ${prefix})`,
    rule: undefined,
    options: given,
    run: async (w) => told(await send(w, claims)),
    expect: { status: 200, json },
  })
  const refusing = (title: string, claims: Claims): Case => ({
    title: `OpenID Connect Core §2: ${title} is refused (${name} of ${prefix})`,
    rule: `${prefix}.jwt-sign-in`,
    options,
    run: (w) => send(w, claims),
    expect: refused(error, `The ${name} does not tell of a sign-in in a sound form.`),
  })
  return [
    telling(
      "the access token tells of the sign-in that its assertion states",
      { auth_time: beginning - 500.5, acr: "gold", amr: ["otp", "pwd"] },
      {
        auth_time: beginning - 501,
        acr: "gold",
        amr: ["otp", "pwd"],
      },
    ),
    telling("nobody signed in now where no sign-in is stated", {}, { auth_time: "none", acr: "none", amr: "none" }),
    telling("a context without a time stays without one", { acr: "gold" }, { auth_time: "none", acr: "gold", amr: "none" }),
    telling("one method may stand for a list of one", { amr: "otp" }, { amr: ["otp"] }),
    telling(
      "a clock that is ahead by half a minute makes no sign-in of the future",
      { auth_time: beginning + 30 },
      { auth_time: beginning },
    ),
    ...["urn:postern:password", "urn:postern:upstream"].map((acr) =>
      telling(`a context of our own is not for others to vouch for: ${acr}`, { acr, amr: "otp" }, { acr: "none", amr: ["otp"] }),
    ),
    telling(
      "nor is one that a sign-in here must earn (RFC 9470 §3)",
      { acr: "urn:example:loa2" },
      { acr: "none" },
      { ...options, more: { ...options.more, acrValues: ["urn:example:loa2"] } },
    ),
    telling(
      "a context that the operator has mapped to one of ours is told as ours, whoever earns it here (RFC 9470 §3)",
      { acr: "urn:peer:two" },
      { acr: "urn:example:loa2" },
      { ...mapping, more: { ...mapping.more, acrValues: ["urn:example:loa2"] } },
    ),
    ...["urn:peer:other", "urn:example:loa2"].map((acr) =>
      telling(`where there is a map, one that it does not have counts as none: ${acr}`, { acr }, { acr: "none" }, mapping),
    ),
    telling("the longest context is told", { acr: "a".repeat(200) }, { acr: "a".repeat(200) }),
    telling("as many methods are told as a sign-in may name", { amr: most }, { amr: most }),
    refusing("a longer acr", { acr: "a".repeat(201) }),
    refusing("an acr that would name a provider", { acr: "idp:corp" }),
    refusing("an acr of two words", { acr: "gold silver" }),
    refusing("an amr of more methods", { amr: [...most, "pwd"] }),
    refusing("an amr with a longer method", { amr: ["a".repeat(51)] }),
    refusing("a sign-in of the future", { auth_time: beginning + 31 }),
    refusing("a sign-in before all time", { auth_time: -1 }),
    refusing("an auth_time that is no number", { auth_time: "now" }),
    refusing("an acr that is no text", { acr: ["gold"] }),
    refusing("an empty acr", { acr: "" }),
    refusing("an amr that has more than texts", { amr: ["otp", 7] }),
    refusing("an amr that is null", { amr: null }),
  ]
}
