import { finding, type Path } from "../fault.ts"
import { type ConfigRule, configRule } from "../rule.ts"
import type { ConfigFile } from "../schema.ts"
import type { Secret } from "../secretSchema.ts"
import { secretText } from "../secret.ts"

/** Returns every secret of a configuration, with its path. */
export const secretsOf = (config: Partial<ConfigFile>): ReadonlyArray<readonly [Path, Secret]> => {
  const all: ReadonlyArray<readonly [Path, Secret | undefined]> = [
    ...(config.clients ?? []).map(({ client_secret }, at) => [["clients", at, "client_secret"], client_secret] as const),
    ...(config.users ?? []).flatMap(({ password, password_hash }, at) => [
      [["users", at, "password"], password] as const,
      [["users", at, "password_hash"], password_hash] as const,
    ]),
    [["data"], config.data],
    ...(config.identity_providers ?? []).flatMap(({ client_secret, client_key }, at) => [
      [["identity_providers", at, "client_secret"], client_secret] as const,
      [["identity_providers", at, "client_key"], client_key] as const,
    ]),
    [["ciba", "notification", "token"], config.ciba?.notification?.token],
    [["ciba", "user_code", "token"], config.ciba?.user_code?.token],
    [["key_encryption_key"], config.key_encryption_key],
    [["pairwise_salt"], config.pairwise_salt],
  ]
  return all.flatMap(([path, secret]) => (secret === undefined ? [] : [[path, secret] as const]))
}

/** The values that a control character makes useless: a person types a password, and the others are sent as a line of text. */
const isOneLine = (path: Path): boolean => path[0] === "data" || ["client_secret", "password", "token"].includes(String(path.at(-1)))

/** Rules about secrets and their sources. */
export const secretRules: ReadonlyArray<ConfigRule> = [
  configRule("config.secret-characters", "RFC 6749 Appendix A.2, RFC 9110 §5.5", ({ config, around }) =>
    secretsOf(config).flatMap(([path, secret]) => {
      const read = isOneLine(path) ? secretText(secret, around) : { text: "" }
      if (!("text" in read)) return []
      if (/\p{Cc}/u.test(read.text))
        return [finding(path, "contains a control character", "write it on one line, with nothing before or after it")]
      return path.at(-1) === "token" && /[^\x21-\x7e]/.test(read.text)
        ? [finding(path, "cannot be sent in a header", "give the service a token of printable ASCII characters without space")]
        : []
    }),
  ),
  configRule("config.secrets", "", ({ config, around }) =>
    secretsOf(config).flatMap(([path, secret]) => {
      const read = secretText(secret, around)
      return "text" in read ? [] : [finding(path, read.message, read.hint)]
    }),
  ),
  configRule("config.key-encryption-key", "RFC 7518 §5.3", ({ config: { key_encryption_key: secret }, around }) => {
    const read = secret === undefined ? undefined : secretText(secret, around)
    return read !== undefined && "text" in read && keyEncryptionKey(read.text) === undefined
      ? [finding(["key_encryption_key"], "is not 32 bytes in base64", "make one with: openssl rand -base64 32")]
      : []
  }),
  configRule("config.pairwise-salt", "OpenID Connect Core §8.1", ({ config: { pairwise_salt: secret }, around }) => {
    const read = secret === undefined ? undefined : secretText(secret, around)
    return read !== undefined && "text" in read && read.text.length < 32
      ? [finding(["pairwise_salt"], "is shorter than 32 characters", "make one with: openssl rand -base64 32")]
      : []
  }),
]

/**
 * Decodes a key-encryption key from base64 or base64url and returns it as base64url without padding, or undefined if it is not 32 bytes.
 */
export const keyEncryptionKey = (text: string): string | undefined => {
  const url = text.trim().replace(/=$/, "").replaceAll("+", "-").replaceAll("/", "_")
  return /^[A-Za-z0-9_-]{43}$/.test(url) ? url : undefined
}
