import type { Answer } from "@postern/core/wire"
import { keeping, parameters, returned } from "./change.ts"
import { type Change, type Misbehavior, type Outcome, type Transform, misbehavior } from "./misbehavior.ts"
import { type Returned, returnedBy, returning } from "./response.ts"

const set = (name: string, value: (found: string) => string | undefined): Misbehavior["transform"] => ({
  authorization: parameters((found) => {
    const before = found.get(name)
    if (before === null) return false
    const after = value(before)
    if (after === undefined) found.delete(name)
    else found.set(name, after)
    return true
  }),
})

/** Adds a parameter to responses that have another given parameter. */
const added = (there: string, name: string, value: string): Misbehavior["transform"] => ({
  authorization: parameters((found) => {
    if (!found.has(there)) return false
    found.append(name, value)
    return true
  }),
})

const state = "RFC 6749 §10.12"
const issuer = "RFC 9207 §2.4"

/** Replaces a success with an error and keeps the state. */
const refused = (description: (change: Change, found: Returned) => string): Misbehavior["transform"] => ({
  authorization: returned((found, change) => {
    if (found.parameters.has("response")) return undefined
    const kept = [...found.parameters].filter(([name]) => name === "state" || name === "iss")
    const error: ReadonlyArray<readonly [string, string]> = [
      ["error", "access_denied"],
      ["error_description", description(change, found)],
    ]
    return { ...found, parameters: new URLSearchParams([...error, ...kept].map(([name, value]) => [name, value])) }
  }),
})

/** Sends a response in the wrong response mode. */
const misplaced: Transform = returned((found) => ({ ...found, place: found.place === "query" ? "fragment" : "query" }))

/** Continues the sign-in at the other issuer, as a provider does that wants to obtain another provider's code (RFC 9700 §4.4.1). */
const sentOn: Transform = ({ other, sent }): Answer => ({
  status: 303,
  headers: [["location", `${other}/connect/authorize?${sent.toString()}`]],
  body: "",
})

/** Lets the first sign-in fail and keeps its code, then replaces the code of the next one with it. */
const injected: Transform = (change): Outcome => {
  const found = returnedBy(change.answer)
  const code = found?.parameters.get("code") ?? undefined
  if (found === undefined || code === undefined) return undefined
  const earlier = change.kept["code"]
  if (earlier !== undefined) {
    found.parameters.set("code", earlier)
    return returning(change.answer, found, found.place)
  }
  found.parameters.delete("code")
  found.parameters.set("error", "temporarily_unavailable")
  return keeping(returning(change.answer, found, found.place), { code })
}

/** The longest description that browsers and servers accept in a URL. A form has room for 64 KB. */
const lengthFor = (place: Returned["place"]): number => (place === "form" ? 65_536 : 6_000)

/** Faults of authorization responses. */
export const ofResponses: ReadonlyArray<Misbehavior> = [
  misbehavior(
    "response.state-wrong",
    "the state is another one",
    state,
    set("state", () => "another state"),
  ),
  misbehavior(
    "response.state-missing",
    "the state is missing though one was sent",
    state,
    set("state", () => undefined),
  ),
  misbehavior(
    "response.iss-wrong",
    "the iss of the response is another issuer",
    issuer,
    set("iss", () => "https://other.example"),
  ),
  misbehavior("response.iss-missing", "the iss of the response is missing though the metadata announces it", issuer, {
    // An ID token in the response has the same `iss`.
    authorization: parameters((found) => {
      if (!found.has("iss") || found.has("id_token")) return false
      found.delete("iss")
      return true
    }),
  }),
  misbehavior(
    "response.iss-slash",
    "the iss of the response has a slash more",
    issuer,
    set("iss", (found) => `${found}/`),
  ),
  misbehavior(
    "response.iss-case",
    "the scheme of the iss of the response is in upper case",
    issuer,
    set("iss", (found) => found.replace(/^http/, "HTTP")),
  ),
  misbehavior("response.state-twice", "the state comes twice", "RFC 6749 §3.1", added("state", "state", "another state"), "SHOULD"),
  misbehavior(
    "response.code-and-error",
    "an error stands beside the code",
    "RFC 6749 §4.1.2.1",
    added("code", "error", "access_denied"),
    "SHOULD",
  ),
  misbehavior("response.mix-up", "the sign-in goes on at another provider, whose code this one is to get (mix-up)", "RFC 9700 §4.4", {
    authorize: sentOn,
  }),
  misbehavior(
    "response.code-injected",
    "the first sign-in fails, and its code stands in the place of the second one's",
    "RFC 9700 §4.5",
    { authorization: injected },
    // The client may send the code. With PKCE the provider refuses it, and without PKCE the client must detect it by the nonce.
    { signIns: 2, observe: { authorization: ["userinfo"] } },
  ),
  misbehavior(
    "response.misplaced",
    "the response comes in the fragment where the query is its place, and the other way around",
    "OAuth 2.0 Multiple Response Types §2.1",
    { authorization: misplaced },
    "SHOULD",
  ),
  misbehavior(
    "response.error-markup",
    "the description of an error has markup that loads a picture where a page shows it as it is",
    "RFC 6749 §4.1.2.1",
    refused(({ planted }) => `<img src='${planted}/picture'>`),
    { calm: true },
  ),
  misbehavior(
    "response.error-long",
    "the description of an error is as long as it can be",
    "RFC 9110 §17.5",
    refused((_, { place }) => "long ".repeat(lengthFor(place) / 5)),
    { level: "SHOULD", calm: true },
  ),
]
