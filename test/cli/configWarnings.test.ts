import { describe, expect, it } from "vitest"
import { checkConfig } from "../../packages/cli/src/config/check.ts"
import { configWarnings } from "../../packages/cli/src/config/rules/warnings.ts"
import { client, sound, world } from "./config.ts"

const strong = "1oXl2pGZkF5rE3vB8yQmTn0sJhWc6uDa"
const salted = "$argon2id$v=19$m=19456,t=2,p=1$c2FsdHNhbHRzYWx0$aGFzaGhhc2hoYXNoaGFzaGhhc2hoYXNo"
const sealed = { key_encryption_key: { env: "POSTERN_KEY" } }
const env = { POSTERN_KEY: "q83vEjRWeJASNFZ4kBI0VniQEjRWeJASNFZ4kBI0Vng=", SECRET: strong, WEAK: "s3cret" }
const user = (more: object): object => sound({ ...sealed, users: [{ username: "alice", ...more }] })

/** Fault of a file that should be mended: the rule, its subject, the file, the modes of files, and the message. */
const warned: ReadonlyArray<readonly [rule: string, title: string, config: object, modes: Record<string, number>, said: string]> = [
  [
    "config.readable-secrets",
    "a file with a secret in it that others may read (CWE-732)",
    sound({ ...sealed, clients: [client({ client_secret: strong })] }),
    { "": 0o644 },
    ": holds clients[0].client_secret, and users other than its owner can read it (mode 0644)",
  ],
  [
    "config.readable-secrets",
    "a file with several that its group may read, a database's password among them",
    sound({ ...sealed, pairwise_salt: strong, data: "postgres://postern:x@127.0.0.1/postern" }),
    { "": 0o640 },
    ": holds data and another secret, and users other than its owner can read it (mode 0640)",
  ],
  [
    "config.readable-secret-files",
    "a file that holds a secret, and every user may read it",
    sound({ ...sealed, clients: [client({ client_secret: { file: "web.secret" } })] }),
    { "": 0o644, "web.secret": 0o644 },
    "clients[0].client_secret: web.secret is readable by every user of this machine (mode 0644)",
  ],
  [
    "config.unmet-metadata",
    "a client that sends codes of people where no service knows them (CIBA Core §4)",
    sound({
      ...sealed,
      ciba: {},
      clients: [
        client({
          client_secret: strong,
          grant_types: ["urn:openid:params:grant-type:ciba"],
          response_types: [],
          redirect_uris: [],
          backchannel_token_delivery_mode: "poll",
          backchannel_user_code_parameter: true,
        }),
      ],
    }),
    {},
    "clients[0].backchannel_user_code_parameter: is stored and shown, but has no effect: this provider does not support it",
  ],
  [
    "config.weak-secrets",
    "a client's secret that could be guessed (RFC 6749 §10.10)",
    sound({ ...sealed, clients: [client()] }),
    {},
    "clients[0].client_secret: has less than 128 bits of entropy and could be guessed",
  ],
  [
    "config.weak-secrets",
    "one that stands elsewhere",
    sound({ ...sealed, clients: [client({ client_secret: { env: "WEAK" } })] }),
    {},
    "clients[0].client_secret: has less than 128 bits of entropy and could be guessed",
  ],
  [
    "config.weak-secrets",
    "a salt of words",
    sound({ ...sealed, pairwise_salt: "a salt of thirty-two characters, at least" }),
    {},
    "pairwise_salt: has less than 128 bits of entropy and could be guessed",
  ],
  [
    "config.weak-secrets",
    "a key that is all one letter",
    sound({ key_encryption_key: "A".repeat(43) }),
    {},
    "key_encryption_key: has less than 128 bits of entropy and could be guessed",
  ],
  [
    "config.weak-passwords",
    "a short password (NIST SP 800-63B §3.1.1.2)",
    user({ password: "x7!kQ2z" }),
    {},
    "users[0].password: is shorter than 8 characters",
  ],
  [
    "config.weak-passwords",
    "one with the username in it",
    user({ password: "Alice-0x7f3kq!" }),
    {},
    "users[0].password: contains the username",
  ],
  ["config.weak-passwords", "a word with disguises", user({ password: "P@ssw0rd1" }), {}, "users[0].password: could be guessed"],
  ["config.weak-passwords", "digits in a row", user({ password: "1234567890" }), {}, "users[0].password: could be guessed"],
  [
    "config.weak-passwords",
    "a hash that is cheap to guess against",
    user({ password_hash: salted.replace("m=19456", "m=4096") }),
    {},
    "users[0].password_hash: is cheap to attack by guessing",
  ],
  [
    "config.unmet-metadata",
    "metadata that nothing comes of (RFC 7591 §2)",
    sound({
      ...sealed,
      clients: [client({ client_secret: strong, claims_redirect_uris: ["https://app.example.com/out"], contacts: ["a@b.example"] })],
    }),
    {},
    "clients[0].claims_redirect_uris: is stored and shown, but has no effect: this provider does not support it",
  ],
  [
    "config.unencrypted-keys",
    "no key to encrypt the signing keys with",
    sound(),
    {},
    "key_encryption_key: is not set: signing keys are stored unencrypted",
  ],
  ...["", "?sslmode=disable", "?sslmode=prefer", "?sslmode=require&sslmode=allow"].map(
    (mode) =>
      [
        "config.plain-database",
        `a database on another machine without TLS${mode}`,
        sound({ ...sealed, data: `postgres://postern@db.internal/postern${mode}` }),
        {},
        "data: reaches PostgreSQL on another machine without requiring TLS",
      ] as const,
  ),
]

const warnings = async (config: object, modes: Record<string, number> = {}): Promise<ReadonlyArray<string>> => {
  const around = world({ env, modes, files: { "web.secret": strong } })
  const { warnings: found, faults } = await checkConfig("postern.json", JSON.stringify(config), around)
  expect(faults).toEqual([])
  return found.map(({ path, message }) => `${path}: ${message}`)
}

describe("a configuration that works and should not stay so", () => {
  it.each(warned)("%s: %s", async (_rule, _title, config, modes, said) => {
    expect(await warnings(config, modes)).toEqual([said])
  })

  it("every rule that warns is shown above", () => {
    expect(new Set(warned.map(([rule]) => rule))).toEqual(new Set(configWarnings.map(({ id }) => id)))
  })

  it("a correct one has no warning", async () => {
    const config = sound({
      ...sealed,
      pairwise_salt: { env: "SECRET" },
      data: "postgres://postern@db.internal/postern?sslmode=verify-full",
      clients: [client({ client_secret: { file: "web.secret" } })],
      users: [
        { username: "alice", password: { env: "SECRET" } },
        { username: "bob", password_hash: { env: "HASH" } },
        { username: "carol", password: { file: "web.secret" } },
      ],
    })
    const around = world({ env: { ...env, HASH: salted }, files: { "web.secret": strong }, modes: { "": 0o644, "web.secret": 0o640 } })
    const { faults, warnings: found } = await checkConfig("postern.json", JSON.stringify(config), around)
    expect([faults, found]).toEqual([[], []])
  })

  it.each(["localhost", "127.0.0.1", "[::1]", "%2Fvar%2Frun%2Fpostgresql", "db.internal/postern?host=/var/run/postgresql&x="])(
    "PostgreSQL at %s crosses no network",
    async (host) => {
      expect(await warnings(sound({ ...sealed, data: `postgres://postern@${host}/postern` }))).toEqual([])
    },
  )

  it("is warned of beside its faults, all at once, with their places", async () => {
    const text = '{\n  "issuer": "http://id.example.com",\n  "clients": [{ "client_id": "m", "client_secret": "x", "grant_types": [] }]\n}'
    const { faults, warnings: found } = await checkConfig("postern.json", text, world({ modes: { "": 0o604 } }))
    expect(faults.map(({ path }) => path)).toEqual(["issuer"])
    expect(found.map(({ path, line }) => [path, line])).toEqual([
      ["", 1],
      ["key_encryption_key", 1],
      ["clients[0].client_secret", 3],
    ])
  })
})
