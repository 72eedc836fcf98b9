import { expect, test } from "vitest"
import { clientProfiles, profileLines } from "../../packages/cli/src/config/profiles.ts"
import { defaultProfile } from "../../packages/core/src/profiles/index.ts"
import { holdTo, profileOf } from "../../packages/core/src/rules/profile.ts"
import { judge, rule, table, tracing } from "../../packages/core/src/rules/rule.ts"
import { refuse } from "../../packages/core/src/model/index.ts"

const client = (client_id: string, profile?: "default" | "oauth2.1") => ({ client_id, ...(profile === undefined ? {} : { profile }) })

test("check-config lists the clients of each profile, and what it demands", () => {
  const config = { issuer: "https://op.example", clients: [client("web"), client("spa", "oauth2.1"), client("tv", "oauth2.1")] }
  expect(clientProfiles(config)).toEqual([
    { client_id: "web", profile: "default" },
    { client_id: "spa", profile: "oauth2.1" },
    { client_id: "tv", profile: "oauth2.1" },
  ])
  expect(profileLines(config)).toEqual([
    "profile oauth2.1 (draft-ietf-oauth-v2-1 §4.1.1, §7.5, §10): spa, tv",
    "  every code needs PKCE",
    "  no challenge is plain",
    "  no response type code id_token token, code token, id_token token, token",
    "  no grant type password",
  ])
})

test("the provider's profile is that of clients that name none", () => {
  const config = { issuer: "https://op.example", profile: "oauth2.1" as const, clients: [client("web"), client("old", "default")] }
  expect(clientProfiles(config).map(({ profile }) => profile)).toEqual(["oauth2.1", "default"])
  expect(profileLines({ issuer: "https://op.example", clients: [client("web")] })).toEqual([])
})

test("a rule that is off in a client's profile is left out from there on (architecture, law 15)", () => {
  const trace = tracing(new Set())
  const judged = table("any", [rule<string, string>("any.refused", "RFC 1", () => refuse("invalid_request", "no"))])
  expect(judge(trace, judged, "", "")).toMatchObject({ description: "no" })
  holdTo(profileOf({ profile: undefined }, { profile: { ...defaultProfile, off: new Set(["any.refused"]) } }), trace)
  expect(judge(trace, judged, "", "")).toBeUndefined()
})

test("a client that is held to a profile which there is none of is not served by laxer rules", () => {
  expect(() => profileOf({ profile: "oauth3" }, { profile: defaultProfile })).toThrow("there is none of that name")
})
