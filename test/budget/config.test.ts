import { expect, test } from "vitest"
import { checkConfig } from "../../packages/cli/src/config/check.ts"
import { client, world } from "../cli/config.ts"
import { measured, overBound } from "./measure.ts"
import { fill } from "./shapes.ts"

const length = 60_000
const bound = 5

const file = (more: object): string => JSON.stringify({ issuer: "https://id.example.com", ...more })
const many = (count: number, make: (at: number) => unknown): ReadonlyArray<unknown> => Array.from({ length: count }, (_, at) => make(at))

/** Configurations that make their reader work most. */
const shapes: Readonly<Record<string, string>> = {
  "a fault on every line": `{"a":${fill("@\n", length)}}`,
  "commas alone": `{"a":[${fill(",", length)}]}`,
  "a long name": `{"issuer":"https://id.example.com","${"k".repeat(length)}":1}`,
  "deep lists": `{"a":${"[".repeat(length / 2)}${"]".repeat(length / 2)}}`,
  "deep objects": `${`{"a":`.repeat(length / 6)}1${"}".repeat(length / 6)}`,
  "a scope of many words": file({ clients: [client({ scope: fill((at) => `x${at} `, length) })] }),
  "many redirect URIs": file({ clients: [client({ redirect_uris: many(3_000, (at) => `http://x/${at}`) })] }),
  "the same client many times": file({ clients: many(1_500, () => ({ client_id: "a" })) }),
  "many people": file({ users: many(1_500, (at) => ({ username: `a${at}` })) }),
}

test(`the worst configuration costs at most ${bound} plain ones of the same size to check`, { timeout: 120_000 }, async () => {
  const check = (text: string) => () => checkConfig("postern.json", text, world())
  const plain = await measured(
    check(file({ clients: many(400, (at) => client({ client_id: `c${at}`, client_secret: `${"s".repeat(32)}${at}` })) })),
    0,
  )
  const over: Array<string> = []
  for (const [name, text] of Object.entries(shapes)) {
    const found = await overBound(plain, check(text), bound)
    if (found !== undefined) over.push(`${name}: ${found}`)
  }
  expect(over).toEqual([])
})
