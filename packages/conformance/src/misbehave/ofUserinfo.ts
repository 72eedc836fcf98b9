import { jwtPart } from "../exchange/jwtPart.ts"
import { frontIdToken, idTokenOf, instead, isFine, keeping, members, withBody } from "./change.ts"
import { objectOf, textOf } from "../exchange/exchange.ts"
import type { Forge, Members } from "./forge.ts"
import { type Change, type Delivered, type Kept, type Misbehavior, type Transform, misbehavior, unusual } from "./misbehavior.ts"
import { signedAgain } from "./ofIdTokens.ts"

const about = "OpenID Connect Core §5.3.2"
/** The paragraph that makes validation only a SHOULD, because TLS authenticates the server. */
const validation = "OpenID Connect Core §5.3.4"

/** The claims of a userinfo response, signed or not. */
const claimsOf = ({ answer, forge }: Change): Members | undefined =>
  isFine(answer) ? (objectOf(answer.body) ?? forge.read(answer.body)?.claims) : undefined

const signedBy = (sign: (claims: Members, forge: Forge, change: Change) => Promise<string> | string): Transform => {
  return async (change) => {
    const found = claimsOf(change)
    if (found === undefined) return undefined
    const claims = { ...found, iss: change.issuer, aud: change.asked.get("client_id") ?? undefined }
    return withBody(change.answer, await sign(claims, change.forge, change), "application/jwt")
  }
}

const rs256 = { alg: "RS256", typ: "userinfo+jwt" }

/** Replaces the subject of every ID token with a new one. */
const newSubject = signedAgain(({ sub }) => ({ sub: `new-${String(sub)}` }))

/** Notes that the client's token is sender-constrained, because only such a client can be asked for a nonce. */
const boundToken: Transform = ({ answer }) =>
  isFine(answer) && textOf(objectOf(answer.body)?.["token_type"]).toLowerCase() === "dpop" ? keeping(answer, { bound: "yes" }) : undefined

const countOf = (kept: Kept): number => Number(kept["count"] ?? 0)

/** The nonce that was issued last, or a later one. */
const nonceAfter = (kept: Kept, more: number): string => `nonce-${countOf(kept) + more}`

/** Rejects a proof and issues the next nonce. */
const askingForNonce = (kept: Kept): Delivered => ({
  answer: {
    status: 401,
    headers: [
      ["content-type", "application/json"],
      ["cache-control", "no-store"],
      ["dpop-nonce", nonceAfter(kept, 1)],
      ["www-authenticate", 'DPoP error="use_dpop_nonce", error_description="Another nonce is needed."'],
    ],
    body: JSON.stringify({ error: "use_dpop_nonce" }),
  },
  keep: { count: String(countOf(kept) + 1) },
})

/** Faults of userinfo. The reaction to them is visible only at the client. */
export const ofUserinfo: ReadonlyArray<Misbehavior> = [
  misbehavior("userinfo.sub-other", "userinfo is about somebody else", about, {
    userinfo: members(() => ({ sub: "somebody else" })),
  }),
  misbehavior("userinfo.sub-missing", "userinfo does not say whom it is about", about, {
    userinfo: members(() => ({ sub: undefined })),
  }),
  misbehavior(
    "userinfo.signature-broken",
    "userinfo is a JWT whose signature is broken",
    validation,
    {
      userinfo: signedBy(async (claims, forge) => {
        const jwt = await forge.sign({ ...rs256, kid: forge.keyFor("RS256")?.kid }, claims)
        const at = jwt.lastIndexOf(".") + 1
        return `${jwt.slice(0, at)}${jwt[at] === "A" ? "B" : "A"}${jwt.slice(at + 1)}`
      }),
    },
    "SHOULD",
  ),
  misbehavior(
    "userinfo.signature-strange",
    "userinfo is a JWT signed by a stranger's key",
    validation,
    {
      userinfo: signedBy((claims, forge) => forge.signAsStranger(rs256, claims)),
    },
    "SHOULD",
  ),
  misbehavior(
    "userinfo.signature-none",
    "userinfo is a JWT without a signature (none)",
    validation,
    {
      userinfo: signedBy((claims) => `${jwtPart({ ...rs256, alg: "none" })}.${jwtPart(claims)}.`),
    },
    "SHOULD",
  ),
  misbehavior(
    "userinfo.distributed-loopback",
    "a distributed claim points at an address of the client's own network",
    "OpenID Connect Core §5.6.2",
    {
      userinfo: members((_, { planted }) => ({
        _claim_names: { credit_score: "elsewhere" },
        _claim_sources: { elsewhere: { endpoint: `${planted}/claims`, access_token: "distributed" } },
      })),
    },
    { level: "SHOULD", calm: true, question: "Did the client show the claim credit_score?" },
  ),
  misbehavior(
    "userinfo.email-unverified",
    "a new person has the e-mail address of an old one, unverified",
    "OpenID Connect Core §5.7",
    {
      token: idTokenOf(newSubject),
      authorization: frontIdToken(newSubject),
      userinfo: members(({ sub }) => ({ sub: `new-${String(sub)}`, email_verified: false })),
    },
    // A client may create a new account. It must not open the old one, and only the client shows which one it opened.
    { observe: { token: [], authorization: [] }, question: "Did the client open the account that the person had before?" },
  ),
  unusual(
    "userinfo.email-changed",
    "the person has another e-mail address than before",
    "OpenID Connect Core §5.7",
    { userinfo: members(({ email }) => (email === undefined ? undefined : { email: "changed@example.com" })) },
    { question: "Did the client open the account that the person had before?" },
  ),
  misbehavior(
    "userinfo.retry-after",
    "userinfo is 429 with Retry-After: 3600",
    "RFC 9110 §10.2.3",
    { userinfo: instead(429, "text/plain", "later\n", [["retry-after", "3600"]]) },
    { level: "SHOULD", calm: true, observe: { userinfo: ["userinfo again"] } },
  ),
  misbehavior(
    "userinfo.nonce-endless",
    "userinfo asks for another DPoP nonce each time, whatever nonce the proof has",
    "RFC 9449 §9",
    {
      token: boundToken,
      userinfo: ({ answer, kept }) => (isFine(answer) && kept["bound"] !== undefined ? askingForNonce(kept) : undefined),
    },
    // One retry with the nonce is right. Two allow for a nonce that expired meanwhile.
    { level: "SHOULD", calm: true, most: ["userinfo again", 2] },
  ),
  unusual(
    "userinfo.nonce-renewed",
    "userinfo asks for a DPoP nonce, gives a new one with each answer, and asks again where a proof has not the newest",
    "RFC 9449 §8.2, §9",
    {
      token: boundToken,
      userinfo: ({ answer, kept, nonce }) => {
        if (!isFine(answer) || kept["bound"] === undefined) return undefined
        if (nonce !== nonceAfter(kept, 0)) return askingForNonce(kept)
        const headers: typeof answer.headers = [...answer.headers, ["dpop-nonce", nonceAfter(kept, 1)]]
        return { answer: { ...answer, headers }, keep: { count: String(countOf(kept) + 1) }, unchanged: true }
      },
    },
    { level: "SHOULD", settled: true, observe: { userinfo: ["userinfo", "userinfo again"] } },
  ),
]
