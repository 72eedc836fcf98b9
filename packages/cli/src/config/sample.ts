import type { ClientMetadata } from "@postern/core/model"

/** The answers from which a first configuration is generated. */
export interface SampleChoices {
  readonly issuer: string
  readonly development: boolean
  readonly host: string
  readonly port: number
  readonly tls: { readonly key_file: string; readonly cert_file: string } | undefined
  readonly data: string
  readonly client: ClientMetadata | undefined
}

/** A key of the file with the comment above it. `off` comments the key out. */
interface Section {
  readonly words: ReadonlyArray<string>
  readonly key: string
  readonly value: unknown
  readonly off?: boolean
}

const sections = ({ issuer, development, host, port, tls, data, client }: SampleChoices): ReadonlyArray<Section> => [
  { words: ["The issuer identifier: the public base URL, byte for byte as clients compare it."], key: "issuer", value: issuer },
  ...(development
    ? [
        {
          words: ["Accepts http on loopback addresses. Remove this before others can reach the provider."],
          key: "development",
          value: true,
        },
      ]
    : []),
  { words: ["The listening address. 0.0.0.0 means every address of this machine."], key: "listen", value: { host, port } },
  {
    words: [
      "Serves https itself. Leave this out behind a proxy that ends TLS.",
      ...(tls === undefined ? ["Without a proxy: uncomment this, name your files, and set listen.host to 0.0.0.0."] : []),
    ],
    key: "tls",
    value: tls ?? { key_file: "./tls/key.pem", cert_file: "./tls/cert.pem" },
    off: tls === undefined,
  },
  {
    words: ["Proxies whose X-Forwarded-For is believed."],
    key: "trusted_proxies",
    value: ["10.0.0.0/8"],
    off: true,
  },
  { words: ["The folder of the database. Relative paths start from this file's folder."], key: "data", value: data },
  {
    words: ["Encrypts the signing keys in the database. Generate one with: openssl rand -base64 32"],
    key: "key_encryption_key",
    value: { env: "POSTERN_KEY" },
    off: true,
  },
  {
    words: [
      "Clients, with the metadata names of RFC 7591. Clients added with `postern client add` are kept.",
      'A secret may also be { "env": "NAME" } or { "file": "PATH" }.',
      "Tokens are signed with RS256, which every OpenID Connect client verifies, unless id_token_signed_response_alg and",
      "access_token_signed_response_alg say ES256 or EdDSA: several times less work. See docs/clients.md.",
    ],
    key: "clients",
    value: client === undefined ? [] : [client],
  },
  {
    words: ["APIs that accept access tokens, with the scopes they own."],
    key: "resources",
    value: [
      {
        identifier: "https://api.example.com",
        title: "Example API",
        scopes: ["api.read", { name: "api.write", title: "Change your data" }],
      },
    ],
    off: true,
  },
  {
    words: ["Identity scopes, in addition to openid, profile, email, address and phone."],
    key: "scopes",
    value: [{ name: "employment", title: "Your employment", claims: ["department", "employee_number"] }],
    off: true,
  },
  {
    words: ["Users. `postern user add NAME` adds more without putting a password into this file."],
    key: "users",
    value: [
      {
        username: "alice",
        password: { env: "ALICE_PASSWORD" },
        claims: { name: "Alice Adams", email: "alice@example.com", email_verified: true },
      },
    ],
    off: true,
  },
  {
    words: ["Other OpenID Providers at which users may sign in, for clients that name them in identity_providers."],
    key: "identity_providers",
    value: [
      {
        name: "corp",
        display_name: "Example Corp",
        issuer: "https://login.corp.example",
        client_id: "postern",
        client_secret: { env: "CORP_SECRET" },
      },
    ],
    off: true,
  },
  {
    words: ["Extension grants. A client's grant_policies define what it may do with each: see docs/grants.md."],
    key: "grants",
    value: { token_exchange: true },
    off: true,
  },
  {
    words: ["Lifetimes in seconds; clients may have their own."],
    key: "lifetimes",
    value: { access_token_lifetime: 3600, session_lifetime: 36_000 },
    off: true,
  },
  {
    words: ["Requests per minute; further requests get 429."],
    key: "limits",
    value: {
      token_requests_per_client: 6000,
      token_requests_per_address: 3000,
      authorization_requests_per_address: 600,
      device_authorization_requests_per_address: 60,
    },
    off: true,
  },
  {
    words: ["The pages. Templates in a folder replace built-in pages of the same name."],
    key: "pages",
    value: { name: "Example", colors: { accent: "#2457d6" }, default_locale: "en" },
    off: true,
  },
  {
    words: ["The requests that `postern explain` can explain: refused, all or off."],
    key: "trail",
    value: development ? "all" : "refused",
  },
]

/** Generates a first configuration as JSON with comments. */
export const sampleJson = (choices: SampleChoices): string => {
  const lines = sections(choices).flatMap(({ words, key, value, off }) => {
    const stated = `${JSON.stringify(key)}: ${writeJson(value)},`.split("\n")
    return ["", ...words.map((line) => `// ${line}`), ...stated.map((line) => (off === true ? `// ${line}` : line))]
  })
  return ["{", ...lines.slice(1).map((line) => (line === "" ? "" : `  ${line}`)), "}", ""].join("\n")
}

/** Formats JSON for readability, with short values on one line. */
const writeJson = (value: unknown, indent = ""): string => {
  const short = JSON.stringify(value, undefined, 1).replace(/\n */g, " ")
  if (typeof value !== "object" || value === null || short.length <= 80)
    return Array.isArray(value) ? short.replace(/^\[ /, "[").replace(/ \]$/, "]") : short
  const deeper = `${indent}  `
  const items = Object.entries(value).map(
    ([key, item]) => `${deeper}${Array.isArray(value) ? "" : `${JSON.stringify(key)}: `}${writeJson(item, deeper)}`,
  )
  const [open, close] = Array.isArray(value) ? "[]" : "{}"
  return `${open}\n${items.join(",\n")}\n${indent}${close}`
}

/** Generates a first configuration as YAML. */
export const sampleYaml = async (choices: SampleChoices): Promise<string> => {
  const { stringify } = await import("./yaml.ts")
  const lines = sections(choices).flatMap(({ words, key, value, off }) => {
    const stated = stringify({ [key]: value })
      .trimEnd()
      .split("\n")
    return ["", ...words.map((line) => `# ${line}`), ...stated.map((line) => (off === true ? `# ${line}` : line))]
  })
  return [...lines.slice(1), ""].join("\n")
}
