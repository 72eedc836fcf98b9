import { describe, expect, it } from "vitest"
import { configJsonSchema, type JsonSchema } from "../../packages/cli/src/config/jsonSchema.ts"
import { client, complaints, sound, world } from "./config.ts"

/** A node of the schema, with the members that texts have. */
interface Node extends JsonSchema {
  readonly pattern?: string
  readonly additionalProperties?: Node | boolean
  readonly patternProperties?: Readonly<Record<string, Node>>
}

/** The texts of a part of the schema, by their path in it. Other sections are visited by themselves. */
const textsOf = (node: Node, path: string): ReadonlyArray<readonly [path: string, node: Node]> => {
  if (node.type === "string" && node.enum === undefined) return [[path, node]]
  const inner: ReadonlyArray<readonly [string, Node | boolean | undefined]> = [
    ...Object.entries(node.properties ?? {}).map(([name, each]) => [`${path}.${name}`, each] as const),
    ...Object.values(node.patternProperties ?? {}).map((each) => [`${path}.*`, each] as const),
    [`${path}.*`, node.additionalProperties],
    [`${path}[]`, node.items],
    ...(node.anyOf ?? []).map((each) => [path, each] as const),
  ]
  return inner.flatMap(([at, each]) => (typeof each === "object" ? textsOf(each, at) : []))
}

/** Texts that may have control characters. */
const others: ReadonlyArray<string> = [
  // Shown to people, or kept for them. HTML takes a line break for a space.
  "Pages.name",
  "TenantLooks.name",
  "IdentityProvider.display_name",
  "Resource.title",
  "ResourceScope.title",
  "ResourceScope.description",
  "IdentityScope.title",
  "IdentityScope.description",
  "Client.client_name",
  // Judged by rules: `config.secret-characters`, and those about people.
  "Secret",
  "User.username",
  // Metadata of clients that name something declared or known elsewhere.
  "Client.scope",
  "Client.profile",
  "Client.response_types[]",
  "Client.response_modes[]",
  "Client.grant_types[]",
  "Client.identity_providers[]",
  "Client.authorization_details_types[]",
  "Client.introspection_resources[]",
  // Metadata of clients that is compared with a certificate, or told back to clients as JSON.
  "Client.default_acr_values[]",
  "Client.tls_client_auth_subject_dn",
  "Client.tls_client_auth_san_dns",
  "Client.tls_client_auth_san_uri",
  "Client.tls_client_auth_san_ip",
  "Client.tls_client_auth_san_email",
  "Client.contacts[]",
  "Client.software_id",
  "Client.software_version",
  "Client.registration_access_token",
  "Client.backchannel_authentication_request_signing_alg",
  "Client.nfv_token_signed_response_alg",
  "Client.nfv_token_encrypted_response_alg",
  "Client.nfv_token_encrypted_response_enc",
  "Client.client_registration_types[]",
  "Client.organization_name",
  "Client.description",
  "Client.keywords[]",
  "Client.encrypted_response_enc_values_supported[]",
  // Scopes are split into words, each of which is looked up.
  "ClientElsewhere.scope",
  "AuthorizationServer.scope",
  "AssertingProvider.scope",
  // For editors alone.
  ".$schema",
]

const controls = ["\0", "\n", "\r", "\t", "\u001b", "\u007f", "\u0085"]

describe("a control character in a text that is used as it stands", () => {
  const schema = configJsonSchema() as Node
  const texts = [...textsOf(schema, ""), ...Object.entries(schema.$defs ?? {}).flatMap(([name, each]) => textsOf(each, name))]

  it("is refused by the schema in every path, host, URL and identifier", () => {
    const taken = texts.filter(
      ([, { pattern }]) =>
        pattern === undefined ||
        controls.some((control) =>
          [`a${control}`, `a${control}b`, `${control}a`, `https://a.example/${control}b`, `https://a${control}.example`].some((text) =>
            new RegExp(pattern, "u").test(text),
          ),
        ),
    )
    expect([...new Set(taken.map(([path]) => path))].toSorted()).toEqual(others.toSorted())
  })

  it.for(controls)("is told as one, with its place (%j)", async (control) => {
    const text = `a${control}b`
    const files = { "url.txt": `postgres://postern:secret@db.example/postern${control}x` }
    const config = sound({
      listen: { host: text },
      pages: { logo: `https://cdn.example/${text}` },
      identity_providers: [
        { name: "corp", display_name: "Corp", issuer: `https://corp.example/${text}`, client_id: "postern", client_secret: text },
      ],
      data: { file: "url.txt" },
      ciba: { notification: { endpoint: "https://push.example/ciba", token: text } },
      users: [{ username: "alice", password: `correct horse ${text}` }],
      clients: [client({ client_secret: text })],
    })
    expect(await complaints(config, world({ files }))).toEqual([
      "listen.host: contains a control character",
      "pages.logo: contains a control character",
      "identity_providers[0].issuer: contains a control character",
      "identity_providers[0].client_secret: contains a control character",
      "data: contains a control character",
      "ciba.notification.token: contains a control character",
      "users[0].password: contains a control character",
      "clients[0].client_secret: contains a control character",
    ])
  })

  it("or a token for a header that no header can carry, is told (RFC 9110 §5.5)", async () => {
    const ciba = { user_code: { endpoint: "https://push.example/code", token: "ключ" } }
    expect(await complaints(sound({ ciba }))).toEqual(["ciba.user_code.token: cannot be sent in a header"])
  })

  it("leaves texts for people, and keys that are read as more than a line, as they are", async () => {
    const config = sound({
      pages: { name: "Example\n" },
      resources: [{ identifier: "https://api.example", scopes: [{ name: "read", description: "Reads.\nNothing else.\n" }] }],
      pairwise_salt: "a salt of more than 32 characters,\nover two lines",
    })
    expect(await complaints(config)).toEqual([])
  })
})

describe("a line that ends with a carriage return alone is a line (YAML 1.2 §5.4, RFC 8259 §2)", async () => {
  const { readDocument } = await import("../../packages/cli/src/config/document.ts")

  it.for([
    ["postern.yaml", "issuer: https://id.example.com\rlisten: # here\r  port: 8080\r"],
    ["postern.jsonc", '{\r"issuer": "https://id.example.com", // here\r"listen": {\r"port": 8080 } }\r'],
  ] as const)("of %s, and is counted as one", async ([name, text]) => {
    const { value, faults, placeOf } = await readDocument(name, text)
    expect([value, faults]).toEqual([{ issuer: "https://id.example.com", listen: { port: 8080 } }, []])
    expect(placeOf(["listen", "port"], true).line).toBe(name.endsWith("yaml") ? 3 : 4)
  })
})
