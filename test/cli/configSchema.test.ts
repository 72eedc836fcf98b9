import { readFileSync } from "node:fs"
import { Ajv2020 } from "ajv/dist/2020.js"
import { describe, expect, it } from "vitest"
import { readDocument } from "../../packages/cli/src/config/document.ts"
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

  it("describes every key", () => {
    const schema = configJsonSchema()
    const all = [undescribed(schema, ""), ...Object.entries(schema.$defs ?? {}).map(([name, each]) => undescribed(each, name))]
    expect(all.flat()).toEqual([])
  })
})
