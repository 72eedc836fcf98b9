import { isJsonObject, longestSecret, reservedClaims, standardScopes, usernameKey } from "@postern/core/model"
import { type Finding, finding, type Path } from "../fault.ts"
import { type ConfigRule, configRule, repeats } from "../rule.ts"
import { secretText } from "../secret.ts"

/** The types of the claims that are not strings (OpenID Connect Core §5.1; specification §2.5 for `role`). */
const claimTypes: Readonly<Record<string, readonly [name: string, is: (value: unknown) => boolean]>> = {
  email_verified: ["true or false", (value) => typeof value === "boolean"],
  phone_number_verified: ["true or false", (value) => typeof value === "boolean"],
  updated_at: ["a number of seconds since 1970", (value) => typeof value === "number"],
  role: [
    "a text or a list of texts",
    (value) => typeof value === "string" || (Array.isArray(value) && value.every((each) => typeof each === "string")),
  ],
  address: ["an object", isJsonObject],
}

const texts = new Set(standardScopes.flatMap(({ claims }) => claims).filter((name) => !Object.hasOwn(claimTypes, name)))

const claimFault = (path: Path, name: string, value: unknown): ReadonlyArray<Finding> => {
  const typed = Object.hasOwn(claimTypes, name) ? claimTypes[name] : undefined
  const [wanted, is] = typed ?? (texts.has(name) ? (["a text", (each: unknown) => typeof each === "string"] as const) : [])
  return is === undefined || is(value)
    ? []
    : [
        finding(
          path,
          `is not ${wanted}`,
          name === "role" ? `write ["admin", …]` : `OpenID Connect Core §5.1 says that ${name} is ${wanted}`,
        ),
      ]
}

/** Returns the findings about the claims of a user. */
export const claimFindings = (claims: Readonly<Record<string, unknown>>, path: Path): ReadonlyArray<Finding> =>
  Object.entries(claims).flatMap(([name, value]) => claimFault([...path, name], name, value))

/** Returns findings about claims of a user that are reserved for the provider. */
export const reservedFindings = (claims: Readonly<Record<string, unknown>>, path: Path): ReadonlyArray<Finding> =>
  Object.keys(claims).flatMap((name) =>
    reservedClaims.has(name)
      ? [
          {
            path: [...path, name],
            about: "key" as const,
            message: "is a claim that only the provider sets",
            hint: name === "sub" ? "set the person's subject instead" : "remove it",
          },
        ]
      : [],
  )

const hashFinding = (path: Path, hashed: string): ReadonlyArray<Finding> => {
  const [, memory, time, lanes] = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$[A-Za-z0-9+/]+\$[A-Za-z0-9+/]+$/.exec(hashed) ?? []
  if (memory === undefined)
    return [finding(path, "is not an argon2id hash in PHC form", "it looks like $argon2id$v=19$m=19456,t=2,p=1$…$…")]
  return Number(memory) <= 262_144 && Number(time) <= 10 && Number(lanes) <= 8
    ? []
    : [finding(path, "costs too much to check", "make it with at most 256 MiB of memory, 10 passes and 8 lanes")]
}

/** Rules about users. */
export const peopleRules: ReadonlyArray<ConfigRule> = [
  configRule("config.usernames", "", ({ config: { users = [] } }) => [
    ...users.flatMap(({ username }, at) => {
      const key = usernameKey(username)
      return key === "" || key.length > 200 || /\p{Cc}/u.test(key)
        ? [finding(["users", at, "username"], "is blank, too long or contains a control character", "write what the person will type")]
        : []
    }),
    ...repeats(users, ({ username }) => usernameKey(username)).map((at) =>
      finding(
        ["users", at, "username"],
        "is also the username of an earlier user",
        "usernames are usernameKey without regard to case or surrounding space; give each user their own",
      ),
    ),
  ]),
  configRule("config.subjects", "OpenID Connect Core §2", ({ config: { users = [] } }) =>
    repeats(users, ({ subject }) => subject).map((at) =>
      finding(["users", at, "subject"], "is also the subject of an earlier user", "a subject always identifies the same person"),
    ),
  ),
  configRule("config.password", "", ({ config: { users = [] }, around, lost }) =>
    users.flatMap(({ password, password_hash }, at) => {
      if (password === undefined && password_hash === undefined)
        return lost(["users", at]).includes("password_hash")
          ? []
          : [
              {
                path: ["users", at, "password"],
                about: "absence" as const,
                message: "is missing, and so is password_hash",
                hint: "give one of them",
              },
            ]
      if (password !== undefined && password_hash !== undefined)
        return [finding(["users", at, "password_hash"], "is given in addition to a password", "keep one of them")]
      // An unreadable secret is reported by another rule.
      const read = secretText(password ?? password_hash ?? "", around)
      if (!("text" in read)) return []
      if (password === undefined) return hashFinding(["users", at, "password_hash"], read.text)
      return read.text.length > longestSecret
        ? [finding(["users", at, "password"], "is too long", `use at most ${longestSecret} characters`)]
        : []
    }),
  ),
  configRule("config.reserved-claims", "OpenID Connect Core §2", ({ config: { users = [] } }) =>
    users.flatMap(({ claims = {} }, at) => reservedFindings(claims, ["users", at, "claims"])),
  ),
  configRule("config.claim-types", "OpenID Connect Core §5.1", ({ config: { users = [] } }) =>
    users.flatMap(({ claims = {} }, at) => claimFindings(claims, ["users", at, "claims"])),
  ),
]
