import { secretOf } from "@postern/core"
import { statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { sqliteStores } from "@postern/adapter-sqlite"
import { keyEncryption } from "@postern/core/jose"
import { type Command, locatorAt, type Trail, saveGrant, saveSession } from "@postern/core/model"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { posternLine as postern } from "./lines.ts"
import { folder, patience } from "./run.ts"

// Each test starts processes, some several.
vi.setConfig({ testTimeout: 2 * patience })

const here = folder({ issuer: "https://id.example.com", resources: [{ identifier: "https://api.example.com", scopes: ["api.read"] }] })
afterAll(here.remove)
const run = (...args: ReadonlyArray<string>) => postern(args, here)
const fed = (input: string | Uint8Array, ...args: ReadonlyArray<string>) => postern(args, { ...here, input })
const stores = () => sqliteStores(join(here.cwd, "data", "postern.sqlite"))
const json = async (...args: ReadonlyArray<string>): Promise<unknown> => JSON.parse((await run(...args, "--json")).out)

const withStores = async <A>(use: (opened: ReturnType<typeof stores>) => A | PromiseLike<A>): Promise<A> => {
  const opened = stores()
  try {
    return await use(opened)
  } finally {
    await opened.close()
  }
}

describe("before there is a database", () => {
  it("a command that only looks says so and makes none", async () => {
    const { code, err } = await run("client", "list")
    expect(code).toBe(1)
    expect(err).toContain("there is no database at")
  })
})

describe("postern client", () => {
  const add = [
    "client",
    "add",
    "web",
    "--redirect-uri",
    "https://app.example.com/cb",
    "--redirect-uri",
    "https://app.example.com/other",
    "--scope",
    "openid api.read",
  ]

  it("add shows the secret it made this once, and keeps its hash", async () => {
    const { code, out } = await run(...add)
    expect(code).toBe(0)
    const secret = /client_secret {2}([A-Za-z0-9_-]{43})$/m.exec(out)?.[1] ?? ""
    expect(await withStores(({ clients }) => clients.verifySecret("web", secretOf(secret)))).toBe(true)
    expect((await run("client", "show", "web")).out).not.toContain(secret)
    expect(statSync(join(here.cwd, "data", "postern.sqlite")).mode & 0o777).toBe(0o600)
  })

  it("add refuses an id that is taken", async () => {
    expect(await run(...add)).toMatchObject({
      code: 1,
      out: "",
      err: expect.stringMatching(/^postern: there is a client web already\n  to replace it/),
    })
  })

  it("add refuses what the registration rules refuse, with every fault", async () => {
    const { code, out, err } = await run("client", "add", "bad", "--redirect-uri", "http://app.example.com/cb", "--scope", "openid nope")
    expect([code, out]).toEqual([1, ""])
    expect(err).toContain("redirect_uris[0] is http and not a loopback address of a native client")
    expect(err).toContain("scope nope: no such scope")
    expect(err).toContain("postern: client bad was not added")
    expect(await run("client", "show", "bad")).toMatchObject({ code: 1 })
  })

  it("add --secret-stdin takes a secret from standard input and does not repeat it", async () => {
    const { code, out } = await fed(
      "from a pipe\n",
      "client",
      "add",
      "piped",
      "--grant-type",
      "client_credentials",
      "--scope",
      "api.read",
      "--secret-stdin",
    )
    expect(code).toBe(0)
    expect(out).not.toContain("from a pipe")
    expect(await withStores(({ clients }) => clients.verifySecret("piped", secretOf("from a pipe")))).toBe(true)
  })

  it("add --json prints the metadata, with the secret that was made", async () => {
    expect(await json("client", "add", "spa", "--public", "--redirect-uri", "https://spa.example.com/cb")).toEqual({
      client_id: "spa",
      token_endpoint_auth_method: "none",
      redirect_uris: ["https://spa.example.com/cb"],
    })
    expect(await json("client", "add", "worker", "--grant-type", "client_credentials")).toEqual({
      client_id: "worker",
      client_secret: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
      token_endpoint_auth_method: "client_secret_basic",
      grant_types: ["client_credentials"],
      response_types: [],
    })
  })

  it("list and show print them, without secrets", async () => {
    // Each option states the field of the feature that declares it; of two that state one, --public wins.
    const stated = [
      "--name",
      "App",
      "--native",
      "--scope",
      "openid",
      "--first-party",
      "--grant-type",
      "authorization_code",
      "--reference-tokens",
    ]
    const places = [
      "--redirect-uri",
      "com.example.app:/a",
      "--redirect-uri",
      "com.example.app:/b",
      "--post-logout-redirect-uri",
      "com.example.app:/out",
    ]
    const means = ["--auth-method", "client_secret_post", "--public", "--jwks-uri", "https://app.example.com/jwks"]
    expect(await json("client", "add", "every", ...stated, ...places, ...means)).toEqual({
      client_id: "every",
      client_name: "App",
      application_type: "native",
      scope: "openid",
      require_consent: false,
      grant_types: ["authorization_code"],
      access_token_format: "reference",
      redirect_uris: ["com.example.app:/a", "com.example.app:/b"],
      post_logout_redirect_uris: ["com.example.app:/out"],
      token_endpoint_auth_method: "none",
      jwks_uri: "https://app.example.com/jwks",
    })
    await run("client", "remove", "every")
    expect((await run("client", "list")).out).toMatch(/^web +confidential +command line$/m)
    expect(await json("client", "list")).toMatchObject([
      { client_id: "piped" },
      { client_id: "spa" },
      { client_id: "web" },
      { client_id: "worker" },
    ])
    const shown = await json("client", "show", "web")
    expect(shown).toMatchObject({
      client_id: "web",
      scope: "openid api.read",
      origin: "command",
      has_secret: true,
      created_at: expect.any(Number),
    })
    expect(shown).not.toHaveProperty("client_secret")
  })

  it("import registers and replaces every client of a file", async () => {
    const clients = [
      { client_id: "web", client_secret: "another", redirect_uris: ["https://app.example.com/new"] },
      { client_id: "second", client_secret: "x", redirect_uris: ["https://b.example.com/cb"] },
    ]
    writeFileSync(join(here.cwd, "clients.json"), JSON.stringify({ clients }))
    expect(await json("client", "import", "clients.json")).toEqual({ added: ["second"], replaced: ["web"] })
    expect(await json("client", "show", "web")).toMatchObject({ redirect_uris: ["https://app.example.com/new"] })
    expect(await withStores(({ clients: kept }) => kept.verifySecret("web", secretOf("another")))).toBe(true)
  })

  it("show has the metadata that decides nothing, beside what does (RFC 7591 §2)", async () => {
    const kept = { contacts: ["ops@app.example.com"], initiate_login_uri: "https://app.example.com/begin", software_version: "2.0.1" }
    const client = { client_id: "kept", client_secret: "x", redirect_uris: ["https://k.example.com/cb"], ...kept }
    writeFileSync(join(here.cwd, "kept.json"), JSON.stringify(client))
    expect(await json("client", "import", "kept.json")).toEqual({ added: ["kept"], replaced: [] })
    expect(await json("client", "show", "kept")).toMatchObject(kept)
    expect((await run("client", "show", "kept")).out).toMatch(/^ {2}contacts +ops@app\.example\.com$/m)
    await run("client", "remove", "kept")
  })

  it("import takes none of a file with a fault, and names its place", async () => {
    writeFileSync(
      join(here.cwd, "faulty.yaml"),
      "- client_id: good\n  client_secret: x\n  redirect_uris: [https://a.example.com/cb]\n- client_id: bad\n  client_secret: x\n  redirect_uri: https://a.example.com/cb\n",
    )
    const { code, err } = await run("client", "import", "faulty.yaml")
    expect(code).toBe(1)
    expect(err).toContain("faulty.yaml:6:3 [1].redirect_uri is not a known key\n    did you mean redirect_uris?")
    expect(await run("client", "show", "good")).toMatchObject({ code: 1 })
  })

  it("remove removes one, and says when there is none", async () => {
    expect(await run("client", "remove", "second")).toEqual({ code: 0, out: "✓ removed client second\n", err: "" })
    expect(await run("client", "remove", "second")).toEqual({
      code: 1,
      out: "",
      err: "postern: there is no client second\n  `postern client list` lists all clients\n",
    })
  })
})

describe("postern user", () => {
  const signIn = (password: string) =>
    withStores(({ people }) =>
      people.verify({ username: "alice", password: secretOf(password), tenant: undefined, acrValues: [], address: undefined }),
    )

  it("add reads the password from standard input; a line break at its end is not part of it", async () => {
    const { code, out } = await fed(
      "wonderland\n",
      "user",
      "add",
      "alice",
      "--claim",
      "name=Alice Adams",
      "--claim",
      "email_verified=true",
      "--json",
    )
    expect(code).toBe(0)
    expect(JSON.parse(out)).toEqual({
      username: "alice",
      subject: expect.any(String),
      claims: { name: "Alice Adams", email_verified: true },
    })
    expect(await signIn("wonderland")).toMatchObject({
      _tag: "Verified",
      person: { claims: { name: "Alice Adams", email_verified: true } },
    })
  })

  it("add refuses a username that is taken, and an empty password", async () => {
    expect(await fed("x\n", "user", "add", "Alice")).toMatchObject({ code: 1, err: expect.stringContaining("there is a user Alice") })
    expect(await fed("", "user", "add", "bob")).toMatchObject({ code: 1, err: expect.stringContaining("standard input has no password") })
  })

  it("add refuses a password that is no text anybody could type", async () => {
    const stuck = (input: string | Uint8Array) => fed(input, "user", "add", "bob")
    expect(await stuck(new Uint8Array([0x70, 0xff, 0xfe]))).toMatchObject({ code: 1, err: expect.stringContaining("is not UTF-8") })
    expect(await stuck("p\u0000")).toMatchObject({ code: 1, err: expect.stringContaining("contains a control character") })
  })

  it("add takes no password as an argument", async () => {
    expect(await run("user", "add", "bob", "--password", "x")).toMatchObject({ code: 2 })
    expect(await run("user", "add", "bob", "secret")).toMatchObject({ code: 2 })
  })

  it("a claim without a value is bad usage", async () => {
    expect(await fed("x\n", "user", "add", "bob", "--claim", "name")).toMatchObject({
      code: 2,
      err: expect.stringContaining("--claim name=value"),
    })
  })

  it("a claim that only the provider states is bad usage; a claim that is a text takes a number for one", async () => {
    expect(await fed("x\n", "user", "add", "bob", "--claim", "sub=1")).toMatchObject({
      code: 2,
      err: "postern: --claim sub is a claim that only the provider sets\n  set the person's subject instead\n",
    })
    expect(await fed("x\n", "user", "add", "bob", "--claim", "email_verified=perhaps")).toMatchObject({ code: 2 })
    const added = await fed("x\n", "user", "add", "carol", "--claim", "phone_number=42", "--claim", "age=42", "--tenant", "acme", "--json")
    expect(JSON.parse(added.out)).toMatchObject({ claims: { phone_number: "42", age: 42 } })
    expect(await withStores(({ people }) => people.show("carol"))).toMatchObject({ tenant: "acme" })
    await withStores(({ people }) => people.remove("carol"))
  })

  it("list shows everybody, without hashes", async () => {
    expect((await run("user", "list")).out).toMatch(/^alice +\S+ +active +command line/m)
    const [alice, ...others] = (await json("user", "list")) as ReadonlyArray<object>
    expect(others).toEqual([])
    expect(Object.keys(alice ?? {})).toEqual([
      "username",
      "subject",
      "claims",
      "disabled",
      "origin",
      "has_password",
      "created_at",
      "updated_at",
    ])
  })

  it("list and show tell who came from another provider", async () => {
    const identity = { provider: "corp", issuer: "https://corp.example", subject: "1", authTime: undefined, amr: [], acr: undefined }
    await withStores(({ people }) => people.admit({ ...identity, claims: { preferred_username: "zoe", name: "Zoe\u001b[1m" } }, undefined))
    expect((await run("user", "list")).out).toMatch(/^zoe +\S+ +active +corp /m)
    const { out } = await run("user", "show", "ZOE")
    expect(out).toMatch(/from +corp$/m)
    expect(out).toMatch(/password +none$/m)
    expect(out).not.toContain("\u001b[1m")
    expect(await json("user", "show", "zoe")).toMatchObject({ username: "zoe", origin: "upstream", provider: "corp", has_password: false })
    expect(await run("user", "show", "nobody")).toMatchObject({ code: 1, err: expect.stringContaining("there is no user nobody") })
    await withStores(({ people }) => people.remove("zoe"))
  })

  /** Gives alice so many sessions and a grant; answers with her subject. */
  const signedIn = (sessions: number) =>
    withStores(async ({ people, tokens }) => {
      const subject = (await people.show("alice"))?.subject ?? ""
      const at = Math.floor(Date.now() / 1000)
      const handle = (number: number): string => locatorAt(at * 1000, Uint8Array.of(7, 7, 7, 7, sessions, number))
      const until = { createdAt: at, expiresAt: at + 600, keepUntil: at + 600 }
      const grant = {
        id: handle(255),
        clientId: "web",
        subject,
        sub: subject,
        claims: undefined,
        endsWithSession: false,
        parentId: undefined,
        extension: undefined,
        sessionId: undefined,
        scope: ["openid"],
        resources: [],
        authTime: at,
      }
      const more = { amr: [], acr: undefined, nonce: undefined, createdAt: at, keepUntil: at + 600, revokedAt: undefined }
      const session = {
        digest: "x",
        subject,
        authTime: at,
        amr: [],
        acr: undefined,
        idp: undefined,
        tenant: undefined,
        agent: "",
        address: undefined,
        seenAt: at,
        ...until,
        endedAt: undefined,
      }
      const committed = await tokens.commit([
        saveGrant({ ...grant, ...more }),
        ...Array.from({ length: sessions }, (_, number): Command => saveSession({ ...session, locator: handle(number) })),
      ])
      expect(committed).toBe("Committed")
      return subject
    })
  const left = (subject: string) =>
    withStores(async ({ tokens }) => [(await tokens.sessionsOf(subject)).length, (await tokens.grantsOf(subject)).length])

  it.each([
    ["disable", 3, "3 sessions ended"],
    ["passwd", 150, "150 sessions ended"],
  ] as const)("%s ends every session and revokes every grant, and says so", async (command, sessions, told) => {
    const subject = await signedIn(sessions)
    expect(await left(subject)).toEqual([Math.min(sessions, 100), 1])
    const { code, out } = await fed("wonderland", "user", command, "alice")
    expect(code).toBe(0)
    expect(out).toContain(`  ${told}; every grant is revoked, and with it its codes and tokens.\n`)
    expect(await left(subject)).toEqual([0, 0])
    await withStores(({ people }) => people.enable("alice"))
  })

  it("passwd changes the password from standard input", async () => {
    expect(await fed("through the looking glass", "user", "passwd", "alice")).toMatchObject({ code: 0 })
    expect(await signIn("wonderland")).toMatchObject({ _tag: "Rejected" })
    expect(await signIn("through the looking glass")).toMatchObject({ _tag: "Verified" })
    expect(await fed("x", "user", "passwd", "nobody")).toMatchObject({
      code: 1,
      err: expect.stringContaining("there is no user nobody"),
    })
  })

  it("disable ends sign-ins, enable allows them again", async () => {
    expect(await run("user", "disable", "alice")).toMatchObject({ code: 0 })
    expect(await signIn("through the looking glass")).toMatchObject({ _tag: "Rejected", reason: "the user is disabled" })
    expect(await run("user", "enable", "alice")).toMatchObject({ code: 0 })
    expect(await signIn("through the looking glass")).toMatchObject({ _tag: "Verified" })
    expect(await run("user", "disable", "nobody")).toMatchObject({ code: 1 })
  })
})

describe("postern keys", () => {
  it("rotate says of the first keys there are that they sign now", async () => {
    const fresh = folder({ issuer: "https://id.example.com" })
    expect(await postern(["user", "add", "alice"], { ...fresh, input: "x" })).toMatchObject({ code: 0 })
    const { code, out } = await postern(["keys", "rotate"], fresh)
    expect(code).toBe(0)
    expect(out.match(/ signs from now on$/gm)).toHaveLength(4)
    expect(out).not.toContain("The previous keys")
    const [key] = JSON.parse((await postern(["keys", "list", "--json"], fresh)).out)
    expect(key).toMatchObject({ state: "active", active_at: key.created_at })
    expect((await postern(["keys", "rotate"], fresh)).out.match(/ signs from \d{4}-\d\d-\d\d \d\d:\d\d$/gm)).toHaveLength(4)
    fresh.remove()
  })

  it("rotate adds a key for each algorithm, and list says where each stands", async () => {
    expect(await json("keys", "rotate", "--now")).toMatchObject({
      added: [{ alg: "RS256" }, { alg: "ES256" }, { alg: "PS256" }, { alg: "EdDSA" }],
    })
    expect(await json("keys", "rotate")).toMatchObject({ added: [{ alg: "RS256" }, { alg: "ES256" }, { alg: "PS256" }, { alg: "EdDSA" }] })
    const keys = (await json("keys", "list")) as ReadonlyArray<{ alg: string; state: string; kid: string; encrypted: boolean }>
    expect(keys.map(({ alg, state }) => `${alg} ${state}`).toSorted()).toEqual([
      "ES256 active",
      "ES256 upcoming",
      "EdDSA active",
      "EdDSA upcoming",
      "PS256 active",
      "PS256 upcoming",
      "RS256 active",
      "RS256 upcoming",
    ])
    expect(new Set(keys.map(({ kid }) => kid)).size).toBe(8)
    expect(keys.every(({ encrypted }) => !encrypted)).toBe(true)
  })

  it("keys for encrypted request objects are made and rotated with the others, and list says that they decrypt", async () => {
    const fresh = folder({ issuer: "https://id.example.com", signing: { algorithms: ["ES256"], encryption_algorithms: ["RSA-OAEP-256"] } })
    expect(await postern(["user", "add", "alice"], { ...fresh, input: "x" })).toMatchObject({ code: 0 })
    for (let time = 0; time < 2; time++)
      expect((await postern(["keys", "rotate"], fresh)).out).toMatch(/^\S+ RSA-OAEP-256 \S+ decrypts from now on$/m)
    const { out } = await postern(["keys", "list"], fresh)
    expect(out.match(/^RSA-OAEP-256 .* decrypts$/gm)).toHaveLength(2)
    expect(out.match(/^ES256 .* signs( from .*)?$/gm)).toHaveLength(2)
    fresh.remove()
  })

  it("rotate adds no open key beside encrypted ones", async () => {
    const sealed = folder({ issuer: "https://id.example.com", key_encryption_key: { env: "POSTERN_KEY" } })
    const options = { ...sealed, env: { POSTERN_KEY: "A".repeat(43) } }
    expect(await postern(["user", "add", "alice"], { ...options, input: "x" })).toMatchObject({ code: 0 })
    expect(await postern(["keys", "rotate"], options)).toMatchObject({ code: 0 })
    expect(JSON.parse((await postern(["keys", "list", "--json"], options)).out)).toMatchObject([
      { encrypted: true },
      { encrypted: true },
      { encrypted: true },
      { encrypted: true },
    ])
    const other = folder(null)
    expect(await postern(["keys", "rotate", "--data", join(sealed.cwd, "data")], other)).toMatchObject({
      code: 1,
      err: expect.stringContaining("the stored keys are encrypted"),
    })
    sealed.remove()
    other.remove()
  })
})

describe("clients that sign", () => {
  const sealed = folder({ issuer: "https://id.example.com", key_encryption_key: { env: "POSTERN_KEY" } })
  const options = { ...sealed, env: { POSTERN_KEY: "A".repeat(43) } }
  const open = folder({ issuer: "https://id.example.com" })
  afterAll(() => [sealed, open].forEach(({ remove }) => remove()))
  const grant = ["--grant-type", "client_credentials"]
  const hmac = ["client", "add", "hmac", "--auth-method", "client_secret_jwt", ...grant]

  it("add --auth-method client_secret_jwt keeps the secret it made, sealed, so that it can be signed with", async () => {
    const { code, out } = await postern(hmac, options)
    expect([code, out]).toEqual([0, expect.stringContaining("it is kept sealed")])
    const secret = /client_secret {2}([A-Za-z0-9_-]{43})$/m.exec(out)?.[1] ?? "none"
    const stores = sqliteStores(join(sealed.cwd, "data", "postern.sqlite"), { encryption: keyEncryption("A".repeat(43)) })
    expect((await stores.clients.secretOf("hmac"))?.reveal()).toBe(secret)
    expect(JSON.stringify(stores.database.prepare("SELECT * FROM clients").all())).not.toContain(secret)
    await stores.close()
    expect((await postern(["client", "show", "hmac"], options)).out).toMatch(/^ {2}secret +kept sealed$/m)
  })

  it("add and import refuse client_secret_jwt where no key could seal its secret, and say what to do", async () => {
    const fault = { code: 1, out: "", err: expect.stringContaining("set key_encryption_key in the configuration, or use private_key_jwt") }
    expect(await postern(hmac, open)).toEqual(fault)
    const client = { client_id: "hmac", token_endpoint_auth_method: "client_secret_jwt", client_secret: "s".repeat(32), response_types: [] }
    const input = JSON.stringify({ ...client, grant_types: ["client_credentials"] })
    expect(await postern(["client", "import", "-"], { ...open, input })).toEqual(fault)
    expect(await postern(["client", "import", "-"], { ...options, input })).toMatchObject({ code: 0 })
  })

  it("add refuses a secret that is too short to sign with (RFC 7518 §3.2)", async () => {
    const { code, err } = await postern([...hmac, "--secret-stdin"], { ...options, input: "short\n" })
    expect([code, err]).toEqual([1, expect.stringContaining("client_secret is shorter than the 32 bytes that HS256 needs")])
  })

  it("add --auth-method private_key_jwt makes no secret, and needs to know where the keys are", async () => {
    const signs = ["client", "add", "signs", "--auth-method", "private_key_jwt", ...grant]
    expect(await postern(signs, open)).toMatchObject({ code: 1, err: expect.stringContaining("no key of the client is known") })
    expect(await postern([...signs, "--jwks-uri", "https://app.example.com/jwks"], open)).toEqual({
      code: 0,
      out: "✓ added client signs\n",
      err: "",
    })
    expect((await postern(["client", "show", "signs"], open)).out).toMatch(/^ {2}secret +none$/m)
  })
})

describe("postern explain", () => {
  const trail: Trail = {
    requestId: "-P6x2hRM9VKdokfE",
    at: 1_795_246_767,
    endpoint: "token",
    clientId: "web",
    subject: undefined,
    steps: [
      { table: "token", passed: ["token.form", "token.grant-known"], refused: undefined },
      {
        table: "token/code",
        passed: ["code.known"],
        refused: {
          rule: "code.pkce-proof",
          cites: "RFC 7636 §4.6",
          answer: "invalid_grant",
          reason: "the verifier does not match\u001b[31m",
        },
      },
    ],
    outcome: "RefuseToken",
    status: 400,
    fault: undefined,
  }
  beforeAll(() => withStores(({ trails }) => trails.record(() => trail, true)))

  it("shows the rules passed, and the one that refused with its paragraph and private reason", async () => {
    const { code, out } = await run("explain", trail.requestId)
    expect(code).toBe(0)
    expect(out).toContain("token  RefuseToken 400\n  request  -P6x2hRM9VKdokfE\n")
    expect(out).toContain("  client   web\n")
    expect(out).toContain(
      "  token\n    ✓ token.form\n    ✓ token.grant-known\n  token/code\n    ✓ code.known\n    ✗ code.pkce-proof  RFC 7636 §4.6\n      the verifier does not match�[31m\n      answered: invalid_grant\n",
    )
  })

  it("--json prints the trail", async () => {
    expect(await json("explain", trail.requestId)).toEqual(JSON.parse(JSON.stringify(trail)))
  })

  it("says when there is no trail", async () => {
    expect(await run("explain", "unknown")).toMatchObject({ code: 1, err: expect.stringContaining("there is no trail for unknown") })
  })

  it.each([
    ["request-id", ["explain", ""]],
    ["client-id", ["client", "remove", ""]],
    ["username", ["user", "disable", ""]],
    ["file", ["check-config", ""]],
  ])("names the argument that is empty, as of a shell variable that is not set: %s", async (name, args) => {
    expect(await run(...args)).toMatchObject({
      code: 2,
      err: expect.stringContaining(`Invalid value for argument <${name}>: "". Expected: a text that is not empty`),
    })
  })
})
