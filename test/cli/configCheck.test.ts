import { describe, expect, it } from "vitest"
import { checkConfig } from "../../packages/cli/src/config/check.ts"
import { sampleJson, sampleYaml } from "../../packages/cli/src/config/sample.ts"
import { client, complaints, faultsOf, sound, world } from "./config.ts"
import { pem } from "./pem.ts"

const check = (name: string, text: string) => checkConfig(name, text, world())

describe("the shape of a configuration", () => {
  it("an unknown key is a fault, and the likely one is named", async () => {
    const [fault, ...more] = await faultsOf(sound({ clients: [client({ redirect_urls: [] })] }))
    expect(more).toEqual([])
    expect(fault).toMatchObject({ path: "clients[0].redirect_urls", message: "is not a known key", hint: "did you mean redirect_uris?" })
  })

  it("a key in camel case is told its name", async () => {
    expect((await faultsOf(sound({ trustedProxies: [] })))[0]?.hint).toBe("did you mean trusted_proxies?")
  })

  it.each([
    ["lifetimes", "code_lifetime", "authorization_code_lifetime or device_code_lifetime"],
    ["lifetimes", "refresh_token_lifetime", "refresh_token_absolute_lifetime or refresh_token_sliding_lifetime"],
    ["lifetimes", "refreshTokenLifetime", "refresh_token_absolute_lifetime or refresh_token_sliding_lifetime"],
    ["lifetimes", "access_lifetime", "access_token_lifetime"],
    ["lifetimes", "acces_token_lifetime", "access_token_lifetime"],
    ["lifetimes", "authorisation_code_lifetime", "authorization_code_lifetime"],
    ["lifetimes", "polling_interval", "device_polling_interval"],
    ["lifetimes", "refresh_grace", "refresh_token_grace"],
    ["signing", "rotation", "rotation_days"],
    ["listen", "hots", "host"],
  ])("of %s: what %s may mean is named, and nothing that it does not", async (section, key, meant) => {
    const [fault, ...more] = await faultsOf(sound({ [section]: { [key]: 60 } }))
    expect([fault?.hint, more]).toEqual([`did you mean ${meant}?`, []])
  })

  it("a key like no other is told which there are", async () => {
    expect((await faultsOf(sound({ listen: { zzz: 1 } })))[0]?.hint).toBe("remove it; known here: host, port")
  })

  it("values of the wrong kind are named with what was expected", async () => {
    const wrong = sound({
      development: "yes",
      listen: { port: 65_536 },
      data: "",
      trail: "some",
      pages: { colors: { accent: "red" } },
      resources: [{ identifier: "a b", scopes: [3] }],
      lifetimes: { session_lifetime: 1.5 },
    })
    expect(await complaints(wrong)).toEqual([
      "development: is not true or false",
      "listen.port: is not a value between 0 and 65535",
      "data: is empty",
      "trail: is not one of the known values",
      "pages.colors.accent: is not a color such as #2457d6",
      "resources[0].identifier: is not 1 to 200 printable ASCII characters without space",
      'resources[0].scopes[0]: is not a scope name, or { "name": … }',
      "lifetimes.session_lifetime: is not a whole number",
    ])
  })

  it("a TLS pair is complete", async () => {
    expect(await complaints(sound({ tls: { key_file: "key.pem" } }))).toEqual([
      "tls.cert_file: is missing",
      "tls.key_file: key.pem cannot be read",
    ])
  })

  it("a key may be called as what every object has", async () => {
    const claims = { constructor: 1, toString: "x", hasOwnProperty: {} }
    expect(await complaints(sound({ users: [{ username: "alice", password: "x", claims }] }))).toEqual([])
    expect(await complaints(sound({ constructor: 1, listen: { toString: 2 } }))).toEqual([
      "constructor: is not a known key",
      "listen.toString: is not a known key",
    ])
  })

  it("a file that holds no object is one fault", async () => {
    expect(await complaints([])).toEqual([": is not an object"])
  })
})

describe("one fault does not hide another", () => {
  it("a fault of shape leaves the rest of the file to be judged", async () => {
    const broken = {
      issuer: "http://id.example.com",
      clients: [client({ redirect_uris: ["nowhere", "http://app.example.com/cb"] }), 3, client({ client_id: "other", scope: "nope" })],
      users: [{ username: "", password: 3 }, { username: "bob" }],
    }
    expect(await complaints(broken)).toEqual([
      "issuer: is http",
      "clients[0].redirect_uris[0]: is not an absolute URI",
      "clients[0].redirect_uris[1]: is http and not a loopback address of a native client",
      "clients[1]: is not an object",
      "clients[2].scope: nope: no such scope",
      "users[0].username: is empty",
      'users[0].password: is not a text, or { "env": "NAME" }, or { "file": "PATH" }',
      "users[1].password: is missing, and so is password_hash",
    ])
  })

  it("a missing issuer leaves the rest to be judged", async () => {
    expect(await complaints({ clients: [client({ scope: "nope" })] })).toEqual([
      "issuer: is missing",
      "clients[0].scope: nope: no such scope",
    ])
  })

  it("a scope that a broken declaration may have meant is not called unknown", async () => {
    const broken = sound({
      clients: [client({ scope: "openid api.read" })],
      resources: [{ identifier: "https://api", scopes: ["api.read"], scops: [] }, { scopes: [] }],
    })
    expect(await complaints(broken)).toEqual(["resources[0].scops: is not a known key", "resources[1].identifier: is missing"])
  })

  it("what is missing or wrong in a client, a person, a resource or a provider leaves the rest of it to be judged", async () => {
    const broken = {
      issuer: "https://id.example.com",
      clients: [
        { client_secret: "s", redirect_uris: ["nowhere"], scope: "openid nope" },
        client({ grant_types: "authorization_code", redirect_uris: ["http://c/d"], scope: "nope", post_logout_redirect_uris: ["x:y#z"] }),
        client({ client_id: "web2", token_endpoint_auth_method: "magic", jwks: { keys: [{ d: "x" }, 3] }, jwks_uri: "https://c/jwks" }),
        client({ client_id: 7, application_type: ["web"], redirect_uris: ["com.example:/cb", "https://c/cb#x"] }),
      ],
      resources: [{ identifier: "https://api", scopes: ["a", "a"] }],
      users: [
        { password: "x", claims: { email_verified: "yes" } },
        { username: "bob", password_hash: 3, claims: { sub: "x" } },
      ],
      identity_providers: [{ name: "corp", client_id: "us", issuer: "http://corp.example" }],
      grants: { trusted_issuers: [{ jwks_uri: 3 }, { issuer: "https://p.example", max_lifetime: 0 }] },
    }
    expect(await complaints(broken)).toEqual([
      "clients[0].client_id: is missing",
      "clients[0].redirect_uris[0]: is not an absolute URI",
      "clients[0].scope: nope: no such scope",
      "clients[1].redirect_uris[0]: is http and not a loopback address of a native client",
      "clients[1].scope: nope: no such scope",
      "clients[1].grant_types: is not a list",
      "clients[1].post_logout_redirect_uris[0]: has a fragment",
      "clients[2].token_endpoint_auth_method: is not one of the known values",
      "clients[2].jwks.keys[0]: holds d, which is secret",
      "clients[2].jwks.keys[1]: is not an object",
      "clients[2].jwks_uri: is given beside jwks",
      "clients[3].client_id: is not a text",
      "clients[3].redirect_uris[1]: has a fragment",
      "clients[3].application_type: is not one of the known values",
      "resources[0].scopes[1]: is declared twice by this resource",
      "users[0].username: is missing",
      "users[0].claims.email_verified: is not true or false",
      'users[1].password_hash: is not a text, or { "env": "NAME" }, or { "file": "PATH" }',
      "users[1].claims.sub: is a claim that only the provider sets",
      "identity_providers[0].display_name: is missing",
      "identity_providers[0].issuer: is not https",
      "grants.trusted_issuers: are trusted for nothing",
      "grants.trusted_issuers[0].issuer: is missing",
      "grants.trusted_issuers[0].jwks_uri: is not a text",
      "grants.trusted_issuers[1]: has no keys",
      "grants.trusted_issuers[1].max_lifetime: is not a value between 1 and 86400",
    ])
  })

  it("a key that appears twice, one that cannot be used and a missing comma leave the rest to be judged", async () => {
    const { faults } = await check(
      "a.json",
      '{ "issuer": "https://a", "issuer": "http://id.example.com",\n "__proto__": { "trail": "all" }\n "clients": [{ "client_id": "x", "scope": "nope" }],\n "trial": 1 }',
    )
    expect(faults.map(({ path, message, line }) => `${line} ${path}: ${message}`)).toEqual([
      "1 issuer: is http",
      "1 issuer: appears twice",
      "2 __proto__: is not a key that can be used",
      "3 : a comma is missing before this",
      "3 clients[0].redirect_uris: is missing or empty",
      "3 clients[0].client_secret: is missing",
      "3 clients[0].scope: nope: no such scope",
      "4 trial: is not a known key",
    ])
    const yaml = await check("a.yaml", "issuer: https://a\nissuer: http://id.example.com\n__proto__: { x: 1 }\ntrial: all\n")
    expect(yaml.faults.map(({ path, line }) => [line, path])).toEqual([
      [1, "issuer"],
      [2, ""],
      [3, "__proto__"],
      [4, "trial"],
    ])
  })

  it("any two faults, and all at once, are told together: none appears once another is mended", async () => {
    const whole = () => ({
      issuer: "https://id.example.com",
      clients: [client(), client({ client_id: "spa", client_secret: undefined, token_endpoint_auth_method: "none" })],
      resources: [{ identifier: "https://api", scopes: ["api.read"] }],
      users: [{ username: "alice", password: "wonderland", claims: {} }],
      lifetimes: {},
      listen: {},
    })
    type Whole = {
      [Key in keyof ReturnType<typeof whole>]: ReturnType<typeof whole>[Key] extends ReadonlyArray<unknown>
        ? Array<Record<string, unknown>>
        : ReturnType<typeof whole>[Key] extends string
          ? string
          : Record<string, unknown>
    }
    const change = (list: Array<Record<string, unknown>>, at: number, more: object): void => void Object.assign(list[at] ?? {}, more)
    const breakages: ReadonlyArray<readonly [complaint: string, (config: Whole) => void]> = [
      ["issuer: is http", (c) => void (c.issuer = "http://id.example.com")],
      ["listen.port: is not a value between 0 and 65535", (c) => void (c.listen["port"] = 70_000)],
      ["lifetimes.code_lifetime: is not a known key", (c) => void (c.lifetimes["code_lifetime"] = 60)],
      ["clients[0].scope: nope: no such scope", (c) => change(c.clients, 0, { scope: "openid nope" })],
      ["clients[0].redirect_uris[0]: has a fragment", (c) => change(c.clients, 0, { redirect_uris: ["https://a/cb#x", "https://a/cb"] })],
      ["clients[0].grant_types: is not a list", (c) => change(c.clients, 0, { grant_types: "authorization_code" })],
      ["clients[0].application_type: is not one of the known values", (c) => change(c.clients, 0, { application_type: "desktop" })],
      ["clients[0].contacts: is not a list", (c) => change(c.clients, 0, { contacts: "ops" })],
      ["clients[0].jwks_uri: is not https", (c) => change(c.clients, 0, { jwks_uri: "http://a/jwks" })],
      [
        "clients[1].token_endpoint_auth_method: is not one of the known values",
        (c) => change(c.clients, 1, { token_endpoint_auth_method: "x" }),
      ],
      ["clients[1].client_id: is missing", (c) => change(c.clients, 1, { client_id: undefined })],
      [
        "clients[1].post_logout_redirect_uris[0]: carries a user name",
        (c) => change(c.clients, 1, { post_logout_redirect_uris: ["https://u@a/"] }),
      ],
      ["resources[0].scopes[0]: openid is an identity scope", (c) => change(c.resources, 0, { scopes: ["openid", "api.read"] })],
      ["users[0].username: is missing", (c) => change(c.users, 0, { username: undefined })],
      ["users[0].claims.sub: is a claim that only the provider sets", (c) => change(c.users, 0, { claims: { sub: "x" } })],
    ]
    const told = async (broken: typeof breakages): Promise<ReadonlyArray<string>> => {
      // Its members are as they are typed: a copy of what was made above.
      const config = whole() as unknown as Whole
      for (const [, apply] of broken) apply(config)
      return (await complaints(config)).toSorted()
    }
    expect(await told([])).toEqual([])
    const sets = [...breakages.flatMap((one, at) => breakages.slice(at).map((other) => [...new Set([one, other])])), [...breakages]]
    for (const set of sets) expect(await told(set)).toEqual(set.map(([complaint]) => complaint).toSorted())
  })

  it("what depends on a broken grant_types is not guessed at", async () => {
    expect(await complaints(sound({ clients: [client({ grant_types: "client_credentials", redirect_uris: [] })] }))).toEqual([
      "clients[0].grant_types: is not a list",
    ])
  })
})

describe("where a fault stands", () => {
  const json = `{
  // the issuer
  "issuer": "https://id.example.com",
  "clients": [
    { "client_id": "web", "client_secret": "s", "redirect_uris": ["https://a/b", "http://c/d"] },
    { "client_id": "spa", "token_endpoint_auth_method": "none" }, /* and so on */
  ],
  "trial": "all",
}`

  it("in JSON: the line and column of the value, of the key when that is unknown, of the object when nothing is there", async () => {
    const { faults } = await check("postern.jsonc", json)
    expect(faults.map(({ path, line, column }) => [path, line, column])).toEqual([
      ["clients[0].redirect_uris[1]", 5, 82],
      ["clients[1].redirect_uris", 6, 5],
      ["trial", 8, 3],
    ])
  })

  it("in YAML the same", async () => {
    const yaml =
      'issuer: https://id.example.com\nclients:\n  - client_id: web\n    client_secret: s\n    redirect_uris:\n      - "http://c/d"\ntrial: all\n'
    const { faults } = await check("postern.yaml", yaml)
    expect(faults.map(({ path, line, column }) => [path, line, column])).toEqual([
      ["clients[0].redirect_uris[0]", 6, 9],
      ["trial", 7, 1],
    ])
  })

  it("a fault of JSON's syntax is named in words", async () => {
    const { faults } = await check("postern.json", '{\n  "issuer": "https://id.example.com"\n  "data": "./data"\n}')
    expect(faults).toEqual([
      { path: "", message: "a comma is missing before this", hint: "put a comma after the value above", line: 3, column: 3 },
    ])
  })

  it("a key that appears twice is a fault in both", async () => {
    expect((await check("a.json", '{ "issuer": "https://a", "issuer": "https://b" }')).faults).toMatchObject([
      { path: "issuer", message: "appears twice", line: 1, column: 26 },
    ])
    expect((await check("a.yaml", "issuer: https://a\nissuer: https://b\n")).faults).toMatchObject([{ line: 2, column: 1 }])
  })

  it("a key that would change what an object is is a fault in both", async () => {
    const told = { path: "__proto__", message: "is not a key that can be used" }
    const json = await check(
      "a.json",
      '{ "issuer": "https://id.example.com",\n "users": [{ "username": "alice", "password": "x", "claims": { "__proto__": {} } }] }',
    )
    expect(json.faults).toMatchObject([{ ...told, line: 2 }])
    const yaml = await check("a.yaml", "issuer: https://id.example.com\n__proto__: { x: 1 }\n")
    expect(yaml.faults).toMatchObject([{ ...told, line: 2, column: 1 }])
  })

  it("endless nesting is a fault in both", async () => {
    for (const depth of [101, 100_000]) {
      const nested = `${"[".repeat(depth)}${"]".repeat(depth)}`
      for (const name of ["a.json", "a.yaml"])
        expect((await check(name, `{ "issuer": ${nested} }`)).faults).toMatchObject([{ message: "is nested deeper than 100 levels" }])
    }
  })

  it.each([
    ["brackets", `issuer: ${"[".repeat(200_000)}`],
    ["braces", `issuer: ${"{a: ".repeat(200_000)}`],
    ["entries of lists on a line", `issuer:\n  ${"- ".repeat(200_000)}x`],
    ["keys that are lists", `${"? ".repeat(200_000)}x`],
    ["lines that are each indented further", Array.from({ length: 1_500 }, (_, at) => `${" ".repeat(at)}a:`).join("\n")],
  ])("endless nesting of YAML costs no more than reading it: %s", async (_, text) => {
    const before = process.cpuUsage()
    expect((await check("a.yaml", text)).faults).toMatchObject([
      { message: "is nested deeper than 100 levels", hint: "reduce the nesting" },
    ])
    const { user, system } = process.cpuUsage(before)
    expect((user + system) / 1000).toBeLessThan(1000)
  })

  it("brackets in texts, and many entries, are no nesting", async () => {
    const text = `issuer: https://id.example.com\nclients:\n${"  - client_id: a\n    client_name: '[{ [{ - - - ? ? ?'\n".repeat(200)}`
    expect((await check("a.yaml", text)).faults.map(({ message }) => message)).not.toContain("is nested deeper than 100 levels")
  })

  it("YAML's aliases of aliases and unknown tags are faults", async () => {
    const aliases = Array.from(
      { length: 8 },
      (_, at) =>
        `k${at}: &k${at} [${Array(9)
          .fill(at === 0 ? "*a" : `*k${at - 1}`)
          .join(", ")}]`,
    )
    const bomb = `a: &a [x, x, x, x, x, x, x, x, x]\n${aliases.join("\n")}\n`
    expect((await check("a.yaml", bomb)).faults).toMatchObject([{ message: "its aliases expand to too much" }])
    expect((await check("a.yaml", "issuer: !!js/function x\n")).faults).toMatchObject([{ line: 1, column: 9 }])
  })

  it("YAML's faults are told in words for operators, with what to do", async () => {
    const told = async (more: string) => (await check("a.yaml", `issuer: https://id.example.com\n${more}`)).faults
    expect(await told("---\nissuer: https://other.example.com\n")).toMatchObject([
      { message: "a second document begins here", hint: "the file holds one document: remove what comes after the ---", line: 2 },
    ])
    expect(await told("issuer: https://other.example.com\n")).toMatchObject([
      { message: "this key appears twice", hint: "keep one of them: only the last one would apply", line: 2 },
    ])
  })

  it("an empty file is a fault", async () => {
    for (const name of ["a.json", "a.yaml"])
      for (const text of ["\0\0\0", `{ "issuer": "http://localhost:1" }\0`])
        expect((await check(name, text)).faults).toMatchObject([{ message: "the file holds NUL bytes, and is no text" }])
    for (const name of ["a.json", "a.yaml"]) expect((await check(name, "")).faults).toMatchObject([{ message: "the file is empty" }])
  })
})

describe("the file that init writes", () => {
  const choices = {
    issuer: "https://id.example.com",
    development: false,
    host: "127.0.0.1",
    port: 8080,
    tls: undefined,
    data: "./data",
    client: undefined,
  }

  it("has no fault, as JSON and as YAML", async () => {
    expect((await check("a.jsonc", sampleJson(choices))).faults).toEqual([])
    expect((await check("a.yaml", await sampleYaml(choices))).faults).toEqual([])
  })

  it("has none either when everything in it is uncommented", async () => {
    const uncommented = sampleJson(choices).replace(/^ {2}\/\/ (?="|\]|\}| )/gm, "  ")
    const { faults } = await checkConfig(
      "a.jsonc",
      uncommented,
      world({
        env: { POSTERN_KEY: "A".repeat(43), ALICE_PASSWORD: "x", CORP_SECRET: "x" },
        files: { "./tls/key.pem": pem.key, "./tls/cert.pem": pem.cert },
      }),
    )
    expect(uncommented).toContain('\n  "tls"')
    expect(faults).toEqual([])
  })
})
