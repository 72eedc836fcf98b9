import { type Received, json, mediaType, textOf } from "../exchange/exchange.ts"
import { forms } from "../oracle/claims.ts"
import { type Finding, first, holds, oneOf, same, shown, status } from "../oracle/finding.ts"
import { area, type Requirement, requirement } from "../requirement/requirement.ts"
import { jwtOf } from "../steps/jwt.ts"
import type { Steps } from "../steps/steps.ts"

const needs = { clients: ["web"], person: true, metadata: { userinfo_endpoint: undefined } } as const

const everything = "openid profile email address phone"

const token = async (t: Steps, changes: Readonly<Record<string, string>> = {}): Promise<unknown> =>
  (await t.tokens("web", changes)).tokens["access_token"]

const ask = (t: Steps, headers: Readonly<Record<string, string>>, body?: string): Promise<Received> =>
  t.send({ method: body === undefined ? "GET" : "POST", url: t.endpoint("userinfo_endpoint"), headers, body })

/** A request without a valid token: 401 and the scheme (RFC 6750 §3). */
const challenged = (received: Received): Finding =>
  first(
    status(received, 401),
    holds(
      /^(bearer|dpop)\b/i.test(received.headers.get("www-authenticate") ?? ""),
      `WWW-Authenticate is ${shown(received.headers.get("www-authenticate"))}`,
    ),
  )

const invalidToken = (received: Received): Finding =>
  first(
    challenged(received),
    holds(
      /error="invalid_token"/.test(received.headers.get("www-authenticate") ?? ""),
      `WWW-Authenticate is ${shown(received.headers.get("www-authenticate"))}`,
    ),
  )

const tried = area("userinfo", needs)

const claimsOf: Readonly<Record<string, ReadonlyArray<string>>> = {
  profile: [
    "name",
    "family_name",
    "given_name",
    "preferred_username",
    "picture",
    "website",
    "gender",
    "birthdate",
    "zoneinfo",
    "locale",
    "updated_at",
  ],
  email: ["email", "email_verified"],
  address: ["address"],
  phone: ["phone_number", "phone_number_verified"],
}

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
    (received) => status(received, 200),
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
    (received) => status(received, 200),
    "SHOULD",
  ),
  tried(
    "scheme-case",
    "RFC 9110 §11.1",
    "The scheme of the header may be written in any case",
    async (t) => ask(t, { authorization: `bEARER ${textOf(await token(t))}` }),
    (received) => status(received, 200),
  ),
  tried("no-token", "RFC 6750 §3", "Without a token, userinfo is refused with the scheme to use", (t) => ask(t, {}), challenged),
  tried(
    "no-token-no-error",
    "RFC 6750 §3.1",
    "A request without a token is told no error code",
    (t) => ask(t, {}),
    (received) =>
      holds(
        !/error=/.test(received.headers.get("www-authenticate") ?? ""),
        `WWW-Authenticate is ${shown(received.headers.get("www-authenticate"))}`,
      ),
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
      const at = whole.length - 8
      return ask(t, { authorization: `Bearer ${whole.slice(0, at)}${whole[at] === "A" ? "B" : "A"}${whole.slice(at + 1)}` })
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
    (received) => status(received, 400, 401),
  ),
  tried(
    "only-scope",
    "OpenID Connect Core §5.4",
    "Userinfo of the scope openid alone tells the sub alone",
    async (t) => t.userinfo(await token(t, { scope: "openid" })),
    (received) => first(...Object.keys(forms).map((name) => holds(json(received)?.[name] === undefined, `it tells ${name}`))),
  ),
  ...Object.entries(claimsOf).map(([scope, names]) =>
    requirement({
      id: `userinfo.scope-${scope}`,
      paragraph: "OpenID Connect Core §5.4",
      level: "SHOULD",
      title: `The scope ${scope} releases its claims, as far as they are known`,
      needs: { ...needs, metadata: { ...needs.metadata, scopes_supported: scope } },
      steps: async (t) => t.userinfo(await token(t, { scope: `openid ${scope}` })),
      oracle: (received) =>
        holds(
          names.some((name) => json(received)?.[name] !== undefined),
          `none of ${names.join(", ")} is there`,
        ),
    }),
  ),
  tried(
    "claim-forms",
    "OpenID Connect Core §5.1",
    "Standard claims have the form that they must have, and none is empty",
    async (t) => t.userinfo(await token(t, { scope: everything })),
    (received) =>
      first(
        ...Object.entries(forms).map(([name, isRight]) =>
          holds(json(received)?.[name] === undefined || isRight(json(received)?.[name]), `${name} is ${shown(json(received)?.[name])}`),
        ),
      ),
  ),
  requirement({
    id: "userinfo.sub-same",
    paragraph: "OpenID Connect Core §5.3.2",
    level: "MUST",
    title: "The sub of userinfo is the sub of the ID token",
    needs,
    steps: async (t) => {
      const { tokens } = await t.tokens("web")
      return {
        idToken: (await jwtOf(t, tokens["id_token"])).claims["sub"],
        userinfo: json(await t.userinfo(tokens["access_token"]))?.["sub"],
      }
    },
    oracle: ({ idToken, userinfo: found }) => same(found, idToken, "the sub of userinfo"),
  }),
  requirement({
    id: "userinfo.expired",
    paragraph: "RFC 6750 §3.1",
    level: "MUST",
    title: "A token that has expired is refused",
    needs: { ...needs, time: true },
    steps: async (t) => {
      const { tokens } = await t.tokens("web")
      const lifetime = tokens["expires_in"]
      await t.pass((typeof lifetime === "number" ? lifetime : 86_400) + 1)
      return t.userinfo(tokens["access_token"])
    },
    oracle: invalidToken,
  }),
  requirement({
    id: "userinfo.not-for-machines",
    paragraph: "OpenID Connect Core §5.3.1",
    level: "MUST",
    title: "A token without a person and without openid is refused",
    needs: { clients: ["machine"], metadata: { userinfo_endpoint: undefined, grant_types_supported: "client_credentials" } },
    steps: async (t) => t.userinfo(json(await t.token({ grant_type: "client_credentials" }, "machine"))?.["access_token"]),
    oracle: (received) =>
      first(
        status(received, 401, 403),
        oneOf(
          /error="(\w+)"/.exec(received.headers.get("www-authenticate") ?? "")?.[1],
          ["insufficient_scope", "invalid_token"],
          "the error",
        ),
      ),
  }),
  tried(
    "not-stored",
    "OpenID Connect Core §5.3.2",
    "Userinfo is kept by no cache",
    async (t) => t.userinfo(await token(t)),
    (received) =>
      holds(
        /no-store|private/.test(received.headers.get("cache-control") ?? ""),
        `Cache-Control is ${shown(received.headers.get("cache-control"))}`,
      ),
    "SHOULD",
  ),
  tried(
    "cors",
    "OpenID Connect Core §5.3",
    "Applications in a browser may ask userinfo",
    (t) => t.preflight("userinfo_endpoint", "GET"),
    (received) =>
      first(
        status(received, 200, 204),
        holds(received.headers.has("access-control-allow-origin"), "there is no Access-Control-Allow-Origin"),
        holds(
          /authorization|\*/i.test(received.headers.get("access-control-allow-headers") ?? ""),
          "the header Authorization is not allowed",
        ),
      ),
    "SHOULD",
  ),
]
