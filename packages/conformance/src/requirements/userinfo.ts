import { type Received, json, mediaType, textOf } from "../exchange/exchange.ts"
import { claimsOfScope, forms } from "../oracle/claims.ts"
import { type Finding, first, hasStatus, header, holds, oneOf, openToApps, same, shown, status } from "../oracle/finding.ts"
import { type Requirement, area } from "../requirement/requirement.ts"
import { jwtOf } from "../steps/jwt.ts"
import { withAnother } from "../steps/signed.ts"
import type { Steps } from "../steps/steps.ts"

const needs = { clients: ["web"], person: true, metadata: { userinfo_endpoint: undefined } } as const

const everything = "openid profile email address phone"

const token = async (t: Steps, changes: Readonly<Record<string, string>> = {}): Promise<unknown> =>
  (await t.tokens("web", changes)).tokens["access_token"]

const ask = (t: Steps, headers: Readonly<Record<string, string>>, body?: string): Promise<Received> =>
  t.send({ method: body === undefined ? "GET" : "POST", url: t.endpoint("userinfo_endpoint"), headers, body })

/** Requires status 401 and the authentication scheme for a request without a valid token (RFC 6750 §3). */
const challenged = (received: Received): Finding => first(status(received, 401), header(received, "WWW-Authenticate", /^(bearer|dpop)\b/i))

const invalidToken = (received: Received): Finding =>
  first(challenged(received), header(received, "WWW-Authenticate", /error="invalid_token"/))

const tried = area("userinfo", needs)

/** The userinfo endpoint (OpenID Connect Core §5.3, RFC 6750). */
export const userinfo: ReadonlyArray<Requirement> = [
  tried(
    "json",
    "OpenID Connect Core §5.3.2",
    "Userinfo is answered as JSON with a sub",
    async (t) => t.userinfo(await token(t)),
    (received) =>
      first(
        status(received, 200),
        same(mediaType(received), "application/json", "the media type"),
        holds(textOf(json(received)?.["sub"]) !== "", "there is no sub"),
      ),
  ),
  tried(
    "post",
    "OpenID Connect Core §5.3.1",
    "Userinfo may be asked by POST with the token in the header",
    async (t) => t.userinfo(await token(t), "POST"),
    hasStatus(200),
  ),
  tried(
    "post-form",
    "RFC 6750 §2.2",
    "Userinfo may be asked with the token in a form",
    async (t) =>
      ask(
        t,
        { "content-type": "application/x-www-form-urlencoded" },
        new URLSearchParams({ access_token: textOf(await token(t)) }).toString(),
      ),
    hasStatus(200),
    "SHOULD",
  ),
  tried(
    "scheme-case",
    "RFC 9110 §11.1",
    "The scheme of the header may be written in any case",
    async (t) => ask(t, { authorization: `bEARER ${textOf(await token(t))}` }),
    hasStatus(200),
  ),
  tried("no-token", "RFC 6750 §3", "Without a token, userinfo is refused with the scheme to use", (t) => ask(t, {}), challenged),
  tried(
    "no-token-no-error",
    "RFC 6750 §3.1",
    "A request without a token is told no error code",
    (t) => ask(t, {}),
    (received) => header(received, "WWW-Authenticate", /^(?!.*error=)/),
    "SHOULD",
  ),
  tried(
    "unknown-token",
    "RFC 6750 §3.1",
    "A token that was never issued is refused as invalid_token",
    (t) => ask(t, { authorization: `Bearer ${t.random(32)}` }),
    invalidToken,
  ),
  tried(
    "broken-token",
    "RFC 6750 §3.1",
    "A token with one character changed is refused",
    async (t) => {
      const whole = textOf(await token(t))
      return ask(t, { authorization: `Bearer ${withAnother(whole, whole.length - 8)}` })
    },
    invalidToken,
  ),
  tried(
    "id-token",
    "OpenID Connect Core §5.3.1",
    "An ID token is no access token",
    async (t) => ask(t, { authorization: `Bearer ${textOf((await t.tokens("web")).tokens["id_token"])}` }),
    invalidToken,
  ),
  tried(
    "basic",
    "RFC 6750 §2.1",
    "A secret of a client is no access token",
    (t) => ask(t, { authorization: `Basic ${btoa("web:secret")}` }),
    (received) => first(status(received, 400, 401), holds(received.headers.has("www-authenticate"), "there is no WWW-Authenticate")),
  ),
  tried(
    "query",
    "RFC 9700 §4.3.2",
    "A token in the query is not taken",
    async (t) => t.get(`${t.endpoint("userinfo_endpoint")}?access_token=${encodeURIComponent(textOf(await token(t)))}`),
    (received) => holds(received.status >= 400 && received.status < 500, `the status is ${received.status}`),
  ),
  tried(
    "two-ways",
    "RFC 6750 §2",
    "A token that comes in two ways at once is refused",
    async (t) => {
      const text = textOf(await token(t))
      return ask(
        t,
        { authorization: `Bearer ${text}`, "content-type": "application/x-www-form-urlencoded" },
        new URLSearchParams({ access_token: text }).toString(),
      )
    },
    hasStatus(400, 401),
  ),
  tried(
    "only-scope",
    "OpenID Connect Core §5.4",
    "Userinfo of the scope openid alone tells the sub alone",
    async (t) => t.userinfo(await token(t, { scope: "openid" })),
    (received) => first(...Object.keys(forms).map((name) => holds(json(received)?.[name] === undefined, `it tells ${name}`))),
  ),
  ...claimsOfScope.map(({ scope, claims }) =>
    tried(
      `scope-${scope}`,
      "OpenID Connect Core §5.4",
      `The scope ${scope} releases its claims, as far as they are known`,
      async (t) => t.userinfo(await token(t, { scope: `openid ${scope}` })),
      (received) =>
        holds(
          claims.some((name) => json(received)?.[name] !== undefined),
          `none of ${claims.join(", ")} is there`,
        ),
      "SHOULD",
      { ...needs, metadata: { ...needs.metadata, scopes_supported: scope } },
    ),
  ),
  tried(
    "claim-forms",
    "OpenID Connect Core §5.1",
    "Standard claims have the form that they must have, and no text is empty",
    async (t) => t.userinfo(await token(t, { scope: everything })),
    (received) =>
      first(
        ...Object.entries(forms).map(([name, isRight]) =>
          holds(json(received)?.[name] === undefined || isRight(json(received)?.[name]), `${name} is ${shown(json(received)?.[name])}`),
        ),
      ),
  ),
  tried(
    "sub-same",
    "OpenID Connect Core §5.3.2",
    "The sub of userinfo is the sub of the ID token",
    async (t) => {
      const { tokens } = await t.tokens("web")
      return {
        idToken: (await jwtOf(t, tokens["id_token"])).claims["sub"],
        userinfo: json(await t.userinfo(tokens["access_token"]))?.["sub"],
      }
    },
    ({ idToken, userinfo: found }) => same(found, idToken, "the sub of userinfo"),
  ),
  tried(
    "expired",
    "RFC 6750 §3.1",
    "A token that has expired is refused",
    async (t) => {
      const { tokens } = await t.tokens("web")
      const lifetime = tokens["expires_in"]
      await t.pass((typeof lifetime === "number" ? lifetime : 86_400) + 1)
      return t.userinfo(tokens["access_token"])
    },
    invalidToken,
    "MUST",
    { ...needs, time: true },
  ),
  tried(
    "not-for-machines",
    "OpenID Connect Core §5.3.1",
    "A token without a person and without openid is refused",
    async (t) => t.userinfo(json(await t.token({ grant_type: "client_credentials" }, "machine"))?.["access_token"]),
    (received) =>
      first(
        status(received, 401, 403),
        oneOf(
          /error="(\w+)"/.exec(received.headers.get("www-authenticate") ?? "")?.[1],
          ["insufficient_scope", "invalid_token"],
          "the error",
        ),
      ),
    "MUST",
    { clients: ["machine"], metadata: { userinfo_endpoint: undefined, grant_types_supported: "client_credentials" } },
  ),
  tried(
    "not-stored",
    "OpenID Connect Core §5.3.2",
    "Userinfo is kept by no cache",
    async (t) => t.userinfo(await token(t)),
    (received) => header(received, "Cache-Control", /no-store|private/),
    "SHOULD",
  ),
  tried(
    "cors",
    "OpenID Connect Core §5.3",
    "Applications in a browser may ask userinfo",
    (t) => t.preflight("userinfo_endpoint", "GET"),
    (received) =>
      first(
        openToApps(received),
        holds(
          /authorization|\*/i.test(received.headers.get("access-control-allow-headers") ?? ""),
          "the header Authorization is not allowed",
        ),
      ),
    "SHOULD",
  ),
]
