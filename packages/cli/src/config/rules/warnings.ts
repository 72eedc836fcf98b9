import { isPlainText, isPostgresUrl } from "@postern/adapter-postgres/url"
import { registering } from "@postern/core"
import { keptMetadata } from "@postern/core/model"
import { isWeakSecret } from "@postern/stores"
import { type Finding, finding, type Path, writePath } from "../fault.ts"
import { plainFeatures } from "../features.ts"
import { type ConfigRule, configRule, type Judged } from "../rule.ts"
import type { ConfigFile } from "../schema.ts"
import type { Secret } from "../secretSchema.ts"
import { secretText } from "../secret.ts"
import type { Surroundings } from "../surroundings.ts"
import { weakPassword } from "./passwords.ts"
import { secretsOf } from "./secrets.ts"

/** The minimum cost of a password hash, in KiB times passes. It is the lowest that OWASP recommends. */
const leastWork = 7168 * 5

/** Returns the text of a secret, or undefined if it cannot be read, which another rule reports. */
const readSecret = (secret: Secret | undefined, around: Surroundings): string | undefined => {
  const read = secret === undefined ? undefined : secretText(secret, around)
  return read !== undefined && "text" in read ? read.text : undefined
}

const shownMode = (mode: number): string => mode.toString(8).padStart(4, "0")

/** Reports whether a value is a secret. `data` is one only if it is a URL with a password. */
const isSecret = (path: Path, text: string): boolean => path[0] !== "data" || (URL.canParse(text) && new URL(text).password !== "")

/** Returns the paths of secrets written in the file itself. */
const inlineSecrets = (config: Partial<ConfigFile>): ReadonlyArray<Path> =>
  secretsOf(config).flatMap(([path, secret]) => (typeof secret === "string" && isSecret(path, secret) ? [path] : []))

/** Returns the files that contain secrets, with the paths of the settings that name them. */
const secretFiles = (config: Partial<ConfigFile>): ReadonlyArray<readonly [Path, string]> => [
  ...secretsOf(config).flatMap(([path, secret]) => (typeof secret === "object" && "file" in secret ? [[path, secret.file] as const] : [])),
  ...(config.tls?.key_file === undefined ? [] : [[["tls", "key_file"], config.tls.key_file] as const]),
]

const weakHash = (hashed: string): boolean => {
  const [, memory, passes] = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),/.exec(hashed) ?? []
  return memory !== undefined && Number(memory) * Number(passes) < leastWork
}

const weakSecrets = ({ config, around }: Judged): ReadonlyArray<Finding> =>
  [
    ...(config.clients ?? []).map(({ client_secret }, at) => [["clients", at, "client_secret"], client_secret] as const),
    [["key_encryption_key"], config.key_encryption_key] as const,
    [["pairwise_salt"], config.pairwise_salt] as const,
  ].flatMap(([path, secret]) => {
    const text = readSecret(secret, around)
    return text === undefined || !isWeakSecret(text)
      ? []
      : [finding(path, "has less than 128 bits of entropy and could be guessed", "make one with: openssl rand -base64 32")]
  })

/** Rules about settings that work but should be changed. */
export const configWarnings: ReadonlyArray<ConfigRule> = [
  configRule("config.readable-secrets", "CWE-732", ({ config, around }) => {
    const mode = around.modeOf()
    const [first, ...more] = inlineSecrets(config)
    return first === undefined || mode === undefined || (mode & 0o077) === 0
      ? []
      : [
          finding(
            [],
            `holds ${writePath(first)}${more.length === 0 ? "" : ` and ${more.length === 1 ? "another secret" : `${more.length} other secrets`}`}, and users other than its owner can read it (mode ${shownMode(mode)})`,
            'chmod 600 the file, or keep its secrets elsewhere: { "env": "NAME" } or { "file": "PATH" }',
          ),
        ]
  }),
  configRule("config.readable-secret-files", "CWE-732", ({ config, around }) =>
    secretFiles(config).flatMap(([path, file]) => {
      const mode = around.modeOf(file)
      return mode === undefined || (mode & 0o007) === 0
        ? []
        : [finding(path, `${file} is readable by every user of this machine (mode ${shownMode(mode)})`, `chmod 640 ${file}, or 600`)]
    }),
  ),
  configRule("config.weak-secrets", "RFC 6749 §10.10", weakSecrets),
  configRule("config.weak-passwords", "NIST SP 800-63B §3.1.1.2", ({ config: { users = [] }, around }) =>
    users.flatMap(({ username, password, password_hash }, at) => {
      const text = readSecret(password, around)
      const weak = text === undefined ? undefined : weakPassword(username, text)
      if (weak !== undefined)
        return [
          finding(
            ["users", at, "password"],
            weak,
            "let the person choose a longer one: postern user passwd, without a password in the file",
          ),
        ]
      return weakHash(readSecret(password_hash, around) ?? "")
        ? [finding(["users", at, "password_hash"], "is cheap to attack by guessing", "make it with m=19456,t=2,p=1 or more")]
        : []
    }),
  ),
  configRule("config.unmet-metadata", "RFC 7591 §2", ({ config: { clients = [], grants, ciba }, around }) => {
    const met = new Set(registering({ features: plainFeatures({ grants, ciba }, around.absolute) }).clientMetadata)
    // The parameter has an effect only if the provider supports user codes (CIBA Core §4).
    const codes = { name: "backchannel_user_code_parameter", unmet: ciba !== undefined }
    if (ciba?.user_code === undefined) met.delete(codes.name)
    return clients.flatMap((client, at) =>
      [...keptMetadata.filter(({ name }) => name !== codes.name), codes].flatMap(({ name, unmet }) =>
        !unmet || Reflect.get(client, name) === undefined || met.has(name)
          ? []
          : [
              finding(
                ["clients", at, name],
                "is stored and shown, but has no effect: this provider does not support it",
                "see docs/clients.md; remove it, or do not let the client rely on it",
              ),
            ],
      ),
    )
  }),
  configRule("config.unencrypted-keys", "", ({ config: { key_encryption_key } }) =>
    key_encryption_key === undefined
      ? [
          {
            path: ["key_encryption_key"],
            about: "absence",
            message: "is not set: signing keys are stored unencrypted",
            hint: 'set it from { "env": … } or { "file": … }, made with: openssl rand -base64 32; keys made before stay as they are until they are rotated',
          },
        ]
      : [],
  ),
  configRule("config.plain-database", "", ({ config: { data }, around }) => {
    const text = readSecret(data, around) ?? ""
    return isPostgresUrl(text) && isPlainText(text)
      ? [finding(["data"], "reaches PostgreSQL on another machine without requiring TLS", "add ?sslmode=require to the URL")]
      : []
  }),
]
