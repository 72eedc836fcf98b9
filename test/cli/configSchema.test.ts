import { readFileSync } from "node:fs"
import { compose, profiles } from "@postern/core"
import { Ajv2020 } from "ajv/dist/2020.js"
import { describe, expect, it } from "vitest"
import { readDocument } from "../../packages/cli/src/config/document.ts"
import { everyFeature } from "../../packages/cli/src/config/features.ts"
import { configJsonSchema, type JsonSchema } from "../../packages/cli/src/config/jsonSchema.ts"
import { sampleJson } from "../../packages/cli/src/config/sample.ts"
import { demoConfig } from "../../packages/cli/src/demo/config.ts"
import { client, complaints, sound } from "./config.ts"

const file = new URL("../../packages/cli/schema/postern.schema.json", import.meta.url)
const valid = new Ajv2020({ strict: true, allErrors: true }).compile(JSON.parse(readFileSync(file, "utf8")))

const undescribed = (schema: JsonSchema, path: string): ReadonlyArray<string> =>
  Object.entries(schema.properties ?? {}).flatMap(([name, property]) => [
    ...(property.description === undefined ? [`${path}.${name}`] : []),
    ...undescribed(property, `${path}.${name}`),
  ])

describe("the published JSON Schema", () => {
  it("is what the code says (run `node packages/cli/scripts/schema.ts` after a change)", () => {
    expect(JSON.parse(readFileSync(file, "utf8"))).toEqual(configJsonSchema())
  })

  it("accepts what init writes and what the demo runs with", async () => {
    const choices = {
      issuer: "https://id.example.com",
      development: false,
      host: "127.0.0.1",
      port: 8080,
      tls: undefined,
      data: "./data",
      client: undefined,
    }
    expect(valid((await readDocument("postern.jsonc", sampleJson(choices))).value)).toBe(true)
    expect(valid(demoConfig({ issuer: "http://127.0.0.1:1", playground: "http://127.0.0.1:2", port: 1 }))).toBe(true)
  })

  it("refuses what the checker refuses", async () => {
    const broken = [
      {},
      sound({ isuer: 1 }),
      sound({ listen: { port: 65_536 } }),
      sound({ tls: { key_file: "a" } }),
      sound({ clients: [client({ client_secret: { environment: "A" } })] }),
      sound({ trail: "some" }),
      sound({ resources: [{ identifier: "a b", scopes: [] }] }),
    ]
    for (const config of broken) {
      expect(await complaints(config)).not.toEqual([])
      expect(valid(config), JSON.stringify(config)).toBe(false)
    }
  })

  it("names each profile where one is chosen: for the provider, and for a client", () => {
    const schema = configJsonSchema()
    const chosen = [schema, schema.$defs?.["Client"]].map((each) => each?.properties?.["profile"]?.description)
    const named = chosen.map((description) => /: (.*?)\. Default/.exec(description ?? "")?.[1]?.split(/, | or /))
    const all = profiles.map(({ name }) => name)
    expect(named).toEqual([all, all])
  })

  it("says of no key that a feature of this program reads that it is not supported", () => {
    const known = configJsonSchema().$defs?.["Client"]?.properties ?? {}
    const read = compose({ features: everyFeature }).clientMetadata.filter(({ name }) => name in known)
    expect(read.map(({ name }) => name)).toContain("backchannel_token_delivery_mode")
    const denied = ["use_mtls_endpoint_aliases", ...read.map(({ name }) => name)].filter((name) =>
      /not supported|does not have/.test(known[name]?.description ?? "missing: not supported"),
    )
    expect(denied).toEqual([])
  })

  it("describes every key", () => {
    const schema = configJsonSchema()
    const all = [undescribed(schema, ""), ...Object.entries(schema.$defs ?? {}).map(([name, each]) => undescribed(each, name))]
    expect(all.flat()).toEqual([])
  })
})
