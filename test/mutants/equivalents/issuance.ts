import type { Listed } from "../equivalent.ts"

/** Mutants of the area issuance that change nothing. */
export const issuance: Listed = {
  "packages/core/src/issuance/accessToken.ts": {
    "a list of one has a first: the default is there for the type alone": [['""', '"Stryker was here!"']],
  },
  "packages/core/src/issuance/idToken.ts": {
    "no scope and no claim has that name": [["[]", '["Stryker was here"]', "scope: alone || client.idTokenUserClaims ? scope : [],"]],
    "nobody has claims in that language": [["[]", '["Stryker was here"]', "locales: grant.claims?.locales ?? [],"]],
  },
  "packages/core/src/issuance/issue.ts": {
    "what is drawn for a grant that is not made is not used": [
      ['whose._tag === "NewGrant"', "true", 'grantId: whose._tag === "NewGrant" ? freshLocator(inquiry) : "",'],
      ['""', '"Stryker was here!"', 'grantId: whose._tag === "NewGrant" ? freshLocator(inquiry) : "",'],
      ['""', '"Stryker was here!"', 'sub: whose._tag === "NewGrant" ? subjectFor(client, whose.person.subject, inquiry) : "",'],
    ],
    "only a client's own tokens have no grant: the check is there for the type alone": [["grant?.extension", "grant.extension"]],
    "only a client's own tokens have no grant, and they have no ID token: the check is there for the type alone": [
      [
        "grant === undefined",
        "false",
        'idToken === undefined || grant === undefined || whose._tag === "Client" || extension !== undefined || !scope.includes("openid")',
      ],
      [
        'whose._tag === "Client"',
        "false",
        'idToken === undefined || grant === undefined || whose._tag === "Client" || extension !== undefined || !scope.includes("openid")',
      ],
      [
        '"Client"',
        '""',
        'idToken === undefined || grant === undefined || whose._tag === "Client" || extension !== undefined || !scope.includes("openid")',
      ],
    ],
    "a code is drawn where one is given: the check is there for the type alone": [
      ["code === undefined || draw.code === undefined", "code === undefined && draw.code === undefined"],
      ["code === undefined", "false", "...(code === undefined || draw.code === undefined || grant === undefined"],
      ["draw.code === undefined", "false"],
    ],
    "a code comes with a grant: the check is there for the type alone": [
      ["grant === undefined", "false", "...(code === undefined || draw.code === undefined || grant === undefined"],
    ],
  },
  "packages/core/src/issuance/refreshToken.ts": {
    "a first token takes the place of none, and nothing is sealed": [['""', '"Stryker was here!"']],
  },
  "packages/core/src/rules/claims.ts": {
    "undefined is no JSON": [["text === undefined", "false"]],
    "nobody asks for a claim of that name": [
      ["[]", '["Stryker was here"]', "new Set(scope.flatMap((name) => identity.get(name)?.claims ?? []))"],
    ],
    "sub is a claim of openid, which every such request has": [['"sub"', '""']],
  },
  "packages/core/src/rules/sector.ts": {
    "words for the operator": [
      ['"is no JSON array of strings"', '""'],
      ['"can prove nothing: the client has neither redirect_uris nor a jwks_uri that it could list"', '""'],
      ["`does not list ${missing}`", "``"],
    ],
    "a function without a return answers undefined too": [["{\n    return undefined\n  }", "{}"]],
  },
  "packages/core/src/rules/session.ts": {
    "the session is there already: it is established for the type alone": [["{ session }", "{}"]],
    "the person is there already: it is established for the type alone": [["{ person }", "{}"]],
  },
}
