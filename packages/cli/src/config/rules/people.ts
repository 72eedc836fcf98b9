import { type Finding, finding } from "../fault.ts"
import { type ConfigRule, configRule, repeats } from "../rule.ts"

/** Claims that the provider states itself; a person's record may not. */
const reserved = new Set([
  "sub",
  "iss",
  "aud",
  "exp",
  "iat",
  "nbf",
  "jti",
  "nonce",
  "auth_time",
  "acr",
  "amr",
  "azp",
  "sid",
  "at_hash",
  "c_hash",
  "client_id",
  "scope",
])

/** The types of the standard claims that are not texts (OpenID Connect Core §5.1). */
const claimTypes: Readonly<Record<string, readonly [name: string, is: (value: unknown) => boolean]>> = {
  email_verified: ["true or false", (value) => typeof value === "boolean"],
  phone_number_verified: ["true or false", (value) => typeof value === "boolean"],
  updated_at: ["a number of seconds since 1970", (value) => typeof value === "number"],
  address: ["an object", (value) => typeof value === "object" && value !== null && !Array.isArray(value)],
}

const texts = new Set(
  "name given_name family_name middle_name nickname preferred_username profile picture website email gender birthdate zoneinfo locale phone_number".split(
    " ",
  ),
)

const claimFault = (path: ReadonlyArray<string | number>, name: string, value: unknown): ReadonlyArray<Finding> => {
  const [wanted, is] = claimTypes[name] ?? (texts.has(name) ? (["a text", (each: unknown) => typeof each === "string"] as const) : [])
  return is === undefined || is(value) ? [] : [finding(path, `is not ${wanted}`, `OpenID Connect Core §5.1 says that ${name} is ${wanted}`)]
}

/** The longest password that is ever hashed, in characters. */
export const longestPassword = 1024

/** Rules about the people who sign in. */
export const peopleRules: ReadonlyArray<ConfigRule> = [
  configRule("config.usernames", "", ({ config: { users = [] } }) =>
    repeats(users, ({ username }) => username.toLowerCase()).map((at) =>
      finding(
        ["users", at, "username"],
        "is the username of an earlier one too",
        "usernames are compared without regard to case; give each person their own",
      ),
    ),
  ),
  configRule("config.subjects", "OpenID Connect Core §2", ({ config: { users = [] } }) =>
    repeats(users, ({ subject }) => subject).map((at) =>
      finding(["users", at, "subject"], "is the subject of an earlier one too", "a subject names one person, for ever"),
    ),
  ),
  configRule("config.password", "", ({ config: { users = [] } }) =>
    users.flatMap(({ password, password_hash }, at) => {
      if (password === undefined && password_hash === undefined)
        return [
          {
            path: ["users", at, "password"],
            about: "absence" as const,
            message: "is missing, and so is password_hash",
            hint: "give one of them",
          },
        ]
      if (password !== undefined && password_hash !== undefined)
        return [finding(["users", at, "password_hash"], "stands beside a password", "keep one of them")]
      if (typeof password === "string" && password.length > longestPassword)
        return [finding(["users", at, "password"], "is too long", `use at most ${longestPassword} characters`)]
      return typeof password_hash === "string" &&
        !/^\$argon2id\$v=19\$m=\d+,t=\d+,p=\d+\$[A-Za-z0-9+/]+\$[A-Za-z0-9+/]+$/.test(password_hash)
        ? [
            finding(
              ["users", at, "password_hash"],
              "is not an argon2id hash in PHC form",
              "it looks like $argon2id$v=19$m=19456,t=2,p=1$…$…",
            ),
          ]
        : []
    }),
  ),
  configRule("config.reserved-claims", "OpenID Connect Core §2", ({ config: { users = [] } }) =>
    users.flatMap(({ claims = {} }, at) =>
      Object.keys(claims).flatMap((name) =>
        reserved.has(name)
          ? [
              {
                path: ["users", at, "claims", name],
                about: "key" as const,
                message: "is a claim that only the provider states",
                hint: name === "sub" ? "set the person's subject instead" : "remove it",
              },
            ]
          : [],
      ),
    ),
  ),
  configRule("config.claim-types", "OpenID Connect Core §5.1", ({ config: { users = [] } }) =>
    users.flatMap(({ claims = {} }, at) =>
      Object.entries(claims).flatMap(([name, value]) => claimFault(["users", at, "claims", name], name, value)),
    ),
  ),
]
