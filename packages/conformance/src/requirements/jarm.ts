import { first, holds, oneOf, same, shown } from "../oracle/finding.ts"
import { type Needs, type Requirement, area } from "../requirement/requirement.ts"
import { jwtOf } from "../steps/jwt.ts"
import { type Steps, outcome } from "../steps/steps.ts"
import { Inconclusive } from "../target/target.ts"
import type { RoleName } from "../target/roles.ts"

const offering = (mode: string, role: RoleName = "web"): Needs => ({
  clients: [role],
  person: true,
  metadata: { response_modes_supported: mode },
})
const jarm = area("jarm", offering("jwt"))

/** A parsed response JWT. */
const asked = async (t: Steps, changes: Readonly<Record<string, string>>, role: RoleName = "web") => {
  const authorized = await t.authorize(role, { response_mode: "jwt", ...changes })
  const { response } = authorized.params
  if (authorized.leaving === undefined) throw new Inconclusive(`no answer came: ${outcome(authorized)}`, authorized.last)
  const state = authorized.asked.find(([name]) => name === "state")?.[1]
  const jwt = response === undefined ? undefined : await jwtOf(t, response)
  return { authorized, jwt, state, now: t.now(), issuer: t.target.issuer, client: t.client(role).client_id }
}

type Seen = Awaited<ReturnType<typeof asked>>

const claims = ({ jwt, issuer, client, now }: Seen) => {
  if (jwt === undefined) return "the answer is no JWT"
  const { iss, aud, exp } = jwt.claims
  return first(
    holds(jwt.isVerified, "no published key verifies it"),
    same(iss, issuer, "iss"),
    holds([aud].flat().includes(client), `aud is ${shown(aud)}, without the client`),
    holds(typeof exp === "number" && exp > now, `exp is ${shown(exp)}`),
  )
}

/** A response mode in which the JWT must come in the right place. */
const inMode = (id: string, paragraph: string, title: string, place: "fragment" | "form_post"): Requirement =>
  jarm(
    id,
    paragraph,
    title,
    (t) => asked(t, { response_mode: `${place}.jwt` }),
    (seen) => first(same(seen.authorized.place, place, "the place"), claims(seen)),
    "MUST",
    offering(`${place}.jwt`),
  )

/** Authorization response JWTs (JARM). */
export const signedResponses: ReadonlyArray<Requirement> = [
  jarm(
    "answer",
    "JARM §2.1",
    "An answer in the mode jwt is a signed JWT for the client, of the issuer, which expires",
    (t) => asked(t, {}),
    claims,
  ),
  jarm(
    "content",
    "JARM §2.1",
    "The JWT has the code and the state of the request",
    (t) => asked(t, {}),
    ({ jwt, state }) => first(holds(jwt?.claims["code"] !== undefined, "the JWT has no code"), same(jwt?.claims["state"], state, "state")),
  ),
  jarm(
    "alone",
    "JARM §2.3.1",
    "Nothing but the JWT comes with it",
    (t) => asked(t, {}),
    ({ authorized }) => same(Object.keys(authorized.params), ["response"], "the parameters"),
  ),
  jarm(
    "place",
    "JARM §2.3.4",
    "The mode jwt is the query for a code",
    (t) => asked(t, {}),
    ({ authorized }) => same(authorized.place, "query", "the place"),
  ),
  jarm(
    "short-lived",
    "JARM §2.1",
    "The JWT lives for no more than ten minutes",
    (t) => asked(t, {}),
    ({ jwt, now }) => holds(Number(jwt?.claims["exp"]) <= now + 601, `exp is ${shown(jwt?.claims["exp"])}, at ${now}`),
    "SHOULD",
  ),
  jarm(
    "error",
    "JARM §2.1",
    "An error is a JWT too",
    (t) => asked(t, { prompt: "none" }),
    (seen) =>
      first(
        claims(seen),
        oneOf(
          seen.jwt?.claims["error"],
          ["login_required", "interaction_required", "consent_required", "account_selection_required"],
          "the error",
        ),
        same(seen.jwt?.claims["state"], seen.state, "state"),
      ),
  ),
  inMode("fragment", "JARM §2.3.2", "In the mode fragment.jwt the JWT comes in the fragment", "fragment"),
  inMode("form-post", "JARM §2.3.3", "In the mode form_post.jwt the JWT comes by a form", "form_post"),
]
