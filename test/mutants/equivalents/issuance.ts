import { type Equivalent, equivalentIn } from "../equivalent.ts"

/** Mutants of the area issuance that change nothing. */
export const issuance: ReadonlyArray<Equivalent> = [
  ...equivalentIn("packages/core/src/issuance/accessToken.ts", [
    { original: '""', replacement: '"Stryker was here!"', because: "a list of one has a first: the default is there for the type alone" },
  ]),
  ...equivalentIn("packages/core/src/issuance/idToken.ts", [
    {
      on: "scope: alone || client.idTokenUserClaims ? scope : [],",
      original: "[]",
      replacement: '["Stryker was here"]',
      because: "no scope and no claim has that name",
    },
    {
      on: "names: grant.claims?.idToken ?? [],",
      original: "[]",
      replacement: '["Stryker was here"]',
      because: "no scope and no claim has that name",
    },
    {
      on: "locales: grant.claims?.locales ?? [],",
      original: "[]",
      replacement: '["Stryker was here"]',
      because: "nobody has claims in that language",
    },
  ]),
  ...equivalentIn("packages/core/src/issuance/issue.ts", [
    {
      on: 'grantId: whose._tag === "NewGrant" ? freshLocator(inquiry) : "",',
      original: 'whose._tag === "NewGrant"',
      replacement: "true",
      because: "what is drawn for a grant that is not made is not used",
    },
    {
      on: 'grantId: whose._tag === "NewGrant" ? freshLocator(inquiry) : "",',
      original: '""',
      replacement: '"Stryker was here!"',
      because: "what is drawn for a grant that is not made is not used",
    },
    {
      on: 'sub: whose._tag === "NewGrant" ? subjectFor(client, whose.person.subject, inquiry) : "",',
      original: '""',
      replacement: '"Stryker was here!"',
      because: "what is drawn for a grant that is not made is not used",
    },
    {
      original: "grant?.extension",
      replacement: "grant.extension",
      because: "only a client's own tokens have no grant: the check is there for the type alone",
    },
    {
      on: "const refresh = grant === undefined ? undefined : refreshTokenFor(family, draw.next, { client, grant, confirmation, now })",
      original: "grant === undefined",
      replacement: "false",
      because: "only a client's own tokens have no grant, and they begin no family: the check is there for the type alone",
    },
    {
      on: 'idToken === undefined || grant === undefined || whose._tag === "Client" || extension !== undefined || !scope.includes("openid")',
      original: "grant === undefined",
      replacement: "false",
      because: "only a client's own tokens have no grant, and they have no ID token: the check is there for the type alone",
    },
    {
      on: 'idToken === undefined || grant === undefined || whose._tag === "Client" || extension !== undefined || !scope.includes("openid")',
      original: 'whose._tag === "Client"',
      replacement: "false",
      because: "only a client's own tokens have no grant, and they have no ID token: the check is there for the type alone",
    },
    {
      on: 'idToken === undefined || grant === undefined || whose._tag === "Client" || extension !== undefined || !scope.includes("openid")',
      original: '"Client"',
      replacement: '""',
      because: "only a client's own tokens have no grant, and they have no ID token: the check is there for the type alone",
    },
    {
      original: "code === undefined || draw.code === undefined",
      replacement: "code === undefined && draw.code === undefined",
      because: "a code is drawn where one is given: the check is there for the type alone",
    },
    {
      on: "...(code === undefined || draw.code === undefined || grant === undefined",
      original: "code === undefined",
      replacement: "false",
      because: "a code is drawn where one is given: the check is there for the type alone",
    },
    {
      original: "draw.code === undefined",
      replacement: "false",
      because: "a code is drawn where one is given: the check is there for the type alone",
    },
    {
      on: "...(code === undefined || draw.code === undefined || grant === undefined",
      original: "grant === undefined",
      replacement: "false",
      because: "a code comes with a grant: the check is there for the type alone",
    },
  ]),
  ...equivalentIn("packages/core/src/issuance/refreshToken.ts", [
    { original: '""', replacement: '"Stryker was here!"', because: "a first token takes the place of none, and nothing is sealed" },
  ]),
  ...equivalentIn("packages/core/src/rules/claims.ts", [
    { original: "value !== null", replacement: "true", because: "null is taken apart in a try, or was told before" },
    { original: "text === undefined", replacement: "false", because: "undefined is no JSON" },
    { original: "{\n    return undefined\n  }", replacement: "{}", because: "a function without a return answers undefined too" },
    {
      on: "new Set(scope.flatMap((name) => identity.get(name)?.claims ?? []))",
      original: "[]",
      replacement: '["Stryker was here"]',
      because: "nobody asks for a claim of that name",
    },
    { original: '"sub"', replacement: '""', because: "sub is a claim of openid, which every such request has" },
    {
      on: 'const given = new Set(["sub", ...scope.flatMap((name) => known.identity.get(name)?.claims ?? [])])',
      original: "[]",
      replacement: '["Stryker was here"]',
      because: "nobody asks for a claim of that name",
    },
  ]),
  ...equivalentIn("packages/core/src/rules/sector.ts", [
    { original: '"is no JSON array of strings"', replacement: '""', because: "words for the operator" },
    {
      original: '"can prove nothing: the client has neither redirect_uris nor a jwks_uri that it could list"',
      replacement: '""',
      because: "words for the operator",
    },
    { original: "`does not list ${missing}`", replacement: "``", because: "words for the operator" },
    { original: "{\n    return undefined\n  }", replacement: "{}", because: "a function without a return answers undefined too" },
  ]),
  ...equivalentIn("packages/core/src/rules/session.ts", [
    { original: "{ session }", replacement: "{}", because: "the session is there already: it is established for the type alone" },
    { original: "{ person }", replacement: "{}", because: "the person is there already: it is established for the type alone" },
  ]),
]
