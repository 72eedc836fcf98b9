import { type Rewrite, frontIdToken, idTokenOf, isFine, keeping } from "./change.ts"
import { objectOf, textOf } from "../exchange/exchange.ts"
import type { Level } from "../requirement/requirement.ts"
import type { Members } from "./forge.ts"
import { type Change, type Misbehavior, type More, type Transform, misbehavior, unusual } from "./misbehavior.ts"
import { both, ofSignatures, rewritten } from "./ofSignatures.ts"
import { returnedBy } from "./response.ts"

type Claims = (claims: Members, change: Change) => Members | undefined

/** Changes claims and signs them with the provider's own key. */
export const signedAgain =
  (change: Claims): Rewrite =>
  ({ header, claims }, forge, more) => {
    const changed = change(claims, more)
    return changed === undefined ? undefined : forge.sign(header, { ...claims, ...changed })
  }

const claims = (id: string, title: string, paragraph: string, change: Claims, more?: Level | More): Misbehavior =>
  rewritten(id, title, paragraph, signedAgain(change), more)

/** Replaces the value of a claim if it is present. */
const ifThere =
  (name: string, value: unknown): Claims =>
  (found) =>
    found[name] === undefined ? undefined : { [name]: value }

const validation = "OpenID Connect Core §3.1.3.7"
const tokens = "OpenID Connect Core §2"
const otherHash = "AAAAAAAAAAAAAAAAAAAAAA"

/** Reports whether the request asked for `acr` as an essential claim (OpenID Connect Core §5.5.1.1). */
const isAcrEssential = ({ asked }: Change): boolean => {
  const wanted = objectOf(asked.get("claims") ?? "")?.["id_token"]
  const acr = typeof wanted === "object" && wanted !== null && "acr" in wanted ? wanted.acr : undefined
  return typeof acr === "object" && acr !== null && "essential" in acr && acr.essential === true
}

const ifMaxAge =
  (change: (found: Members) => Members): Claims =>
  (found, { asked }) =>
    asked.has("max_age") ? change(found) : undefined

/** Faults of claims. */
const ofClaims: ReadonlyArray<Misbehavior> = [
  claims("iss-wrong", "the iss is another issuer", `${validation}.2`, () => ({ iss: "https://other.example" })),
  claims("iss-missing", "the iss is missing", `${validation}.2`, () => ({ iss: undefined })),
  claims("iss-slash", "the iss has a slash more", `${validation}.2`, ({ iss }) => ({ iss: `${String(iss)}/` })),
  rewritten(
    "iss-twice",
    "the iss stands there twice, the second one another issuer: parsers that do not refuse it take the last",
    "RFC 7519 §4",
    ({ header, claims: found }, forge) => forge.sign(header, `${JSON.stringify(found).slice(0, -1)},"iss":"https://other.example"}`),
  ),
  claims("aud-wrong", "the aud is another client", `${validation}.3`, () => ({ aud: "another-client" })),
  claims("aud-missing", "the aud is missing", `${validation}.3`, () => ({ aud: undefined })),
  claims("aud-additional", "the aud has a second value that the client does not trust", `${validation}.3`, ({ aud }) => ({
    aud: [aud, "another-client"].flat(),
  })),
  claims("azp-other", "the azp is another client", `${validation}.5`, () => ({ azp: "another-client" }), "SHOULD"),
  claims("exp-past", "the ID token has expired an hour ago", `${validation}.9`, ({ iat }) => ({
    iat: Number(iat) - 7200,
    exp: Number(iat) - 3600,
  })),
  claims("exp-missing", "the exp is missing", tokens, () => ({ exp: undefined })),
  claims("iat-missing", "the iat is missing", tokens, () => ({ iat: undefined })),
  claims("iat-old", "the ID token was issued a day ago", `${validation}.10`, ({ iat }) => ({ iat: Number(iat) - 86_400 }), "MAY"),
  claims(
    "iat-ahead",
    "the ID token was issued in a day from now",
    `${validation}.10`,
    ({ iat, exp }) => ({
      iat: Number(iat) + 86_400,
      exp: Number(exp) + 86_400,
    }),
    "MAY",
  ),
  claims(
    "clock-behind",
    "the provider's clock is five minutes late, and its ID token has just expired",
    `${validation}.9`,
    shifted(-300),
    "MAY",
  ),
  claims("nonce-wrong", "the nonce is another one", `${validation}.11`, ifThere("nonce", "another nonce")),
  claims("nonce-missing", "the nonce is missing though one was sent", `${validation}.11`, ifThere("nonce", undefined)),
  claims("sub-missing", "the sub is missing", tokens, () => ({ sub: undefined })),
  claims("acr-low", "the acr is below the essential one that was asked for", "OpenID Connect Core §5.5.1.1", (_, change) =>
    isAcrEssential(change) ? { acr: "0" } : undefined,
  ),
  claims(
    "auth-time-missing",
    "auth_time is missing though max_age was sent",
    `${validation}.13`,
    ifMaxAge(() => ({ auth_time: undefined })),
    "SHOULD",
  ),
  claims(
    "auth-time-old",
    "the person signed in a day longer ago than max_age allows",
    `${validation}.13`,
    ({ iat }, { asked }) => (asked.has("max_age") ? { auth_time: Number(iat) - Number(asked.get("max_age")) - 86_400 } : undefined),
    "SHOULD",
  ),
  claims(
    "at-hash-wrong",
    "the at_hash is of another access token",
    "OpenID Connect Core §3.1.3.8",
    ifThere("at_hash", otherHash),
    "SHOULD",
  ),
  claims("c-hash-wrong", "the c_hash is of another code", "OpenID Connect Core §3.3.2.10", ifThere("c_hash", otherHash)),
  claims("c-hash-missing", "the c_hash is missing", "OpenID Connect Core §3.3.2.11", ifThere("c_hash", undefined)),
]

/** Shifts the time claims by seconds. */
function shifted(by: number): Claims {
  return ({ iat, exp, auth_time: signedIn }) => ({
    iat: Number(iat) + by,
    exp: Number(exp) + by,
    ...(signedIn === undefined ? {} : { auth_time: Number(signedIn) + by }),
  })
}

const inRefresh = (change: Claims): Misbehavior["transform"] => ({ refresh: idTokenOf(signedAgain(change)) })
const renewal = "OpenID Connect Core §12.2"

/** Replaces the ID token with that of the client's earlier sign-in. */
const replayed: Transform = (change) => {
  const found = isFine(change.answer) ? textOf(objectOf(change.answer.body)?.["id_token"]) : ""
  const earlier = change.kept["id_token"]
  if (earlier === undefined) return found === "" ? undefined : keeping(change.answer, { id_token: found })
  return idTokenOf(() => earlier)(change)
}

/** A correctly signed logout token for the client (OpenID Connect Back-Channel Logout §2.4). */
const logoutToken: Rewrite = ({ header, claims: { iss, aud, iat, exp, sub, sid } }, forge) =>
  forge.sign(
    { ...header, typ: "logout+jwt" },
    { iss, aud, iat, exp, sub, sid, jti: `logout-${String(iat)}`, events: { "http://schemas.openid.net/event/backchannel-logout": {} } },
  )

/** Faults of ID tokens from particular endpoints, and unusual ID tokens. */
const inPlaces: ReadonlyArray<Misbehavior> = [
  unusual("id-token.aud-list", "the aud is a list of one", tokens, both(signedAgain(({ aud }) => ({ aud: [aud].flat() })))),
  unusual("id-token.clock-ahead", "the provider's clock is five minutes ahead", `${validation}.10`, both(signedAgain(shifted(300))), "MAY"),
  misbehavior(
    "id-token.at-hash-missing",
    "the at_hash is missing though the access token comes with the ID token through the browser",
    "OpenID Connect Core §3.2.2.9",
    {
      authorization: (change) =>
        returnedBy(change.answer)?.parameters.has("access_token") === true
          ? frontIdToken(signedAgain(ifThere("at_hash", undefined)))(change)
          : undefined,
    },
  ),
  misbehavior(
    "id-token.replayed",
    "the ID token is the one of the client's earlier sign-in",
    `${validation}.11`,
    { token: replayed },
    { signIns: 2 },
  ),
  rewritten("logout-token", "a logout token stands in the place of the ID token", "RFC 8725 §3.12", logoutToken),
  misbehavior(
    "refresh.iss-other",
    "the refreshed ID token has another iss",
    renewal,
    inRefresh(() => ({ iss: "https://other.example" })),
  ),
  misbehavior(
    "refresh.sub-other",
    "the refreshed ID token has another sub",
    renewal,
    inRefresh(() => ({ sub: "somebody else" })),
  ),
  misbehavior(
    "refresh.aud-other",
    "the refreshed ID token has another aud",
    renewal,
    inRefresh(() => ({ aud: "another-client" })),
  ),
  misbehavior(
    "id-token.sub-between",
    "the ID tokens of the hybrid flow have different subjects",
    "OpenID Connect Core §3.3.3.6",
    {
      token: (change) => {
        const isHybrid = (change.asked.get("response_type") ?? "").includes("id_token")
        return isHybrid ? idTokenOf(signedAgain(() => ({ sub: "somebody else" })))(change) : undefined
      },
    },
    "SHOULD",
  ),
]

/** Faulty and unusual ID tokens. */
export const ofIdTokens: ReadonlyArray<Misbehavior> = [...ofSignatures, ...ofClaims, ...inPlaces]
