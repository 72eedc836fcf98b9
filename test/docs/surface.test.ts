import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterAll, expect, test } from "vitest"
import { surfaceOf } from "./surface.ts"

const home = mkdtempSync(join(tmpdir(), "postern-surface-"))
afterAll(() => rmSync(home, { recursive: true, force: true }))

/** The surface of the file `index.d.ts` among some files. */
const surface = (name: string, files: Readonly<Record<string, string>>): Readonly<Record<string, string>> => {
  for (const [file, text] of Object.entries(files)) {
    const path = join(home, name, file)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }
  return Object.fromEntries(surfaceOf(join(home, name, "index.d.ts")))
}

test("a name is shown as it is declared, without its comments, wherever it is declared", () => {
  expect(
    surface("plain", {
      "index.d.ts": `/** One. */\nexport interface One {\n    /** A member. */\n    readonly a: string;\n}\nexport * from "./two.ts";\nexport { four as five, type Six } from "./deep/three.ts";\n`,
      "two.d.ts": "export declare const two: 2;\ndeclare const hidden: 3;\n",
      "deep/three.d.ts": "export declare const four: (a: number) => void;\nexport type Six = 6;\n",
    }),
  ).toEqual({
    One: "export interface One {\n    readonly a: string;\n}",
    two: "export declare const two: 2;",
    five: "export declare const five: (a: number) => void;",
    Six: "export type Six = 6;",
  })
})

test("overloads stand together, a name that another package declares is named with it, and a circle of files ends", () => {
  expect(
    surface("more", {
      "index.d.ts": `export declare function f(a: 1): 1;\nexport declare function f(a: 2): 2;\nexport { Schema } from "effect";\nexport * from "./back.ts";\nimport { kept } from "./back.ts";\nexport { kept as again };\n`,
      "back.d.ts": `export * from "./index.ts";\nexport declare const kept: true;\n`,
    }),
  ).toEqual({
    f: "export declare function f(a: 1): 1;\nexport declare function f(a: 2): 2;",
    Schema: 'export { Schema } from "effect"',
    kept: "export declare const kept: true;",
    again: "export declare const again: true;",
  })
})

test("a change of a member's type is a change of the surface", () => {
  const before = surface("before", { "index.d.ts": "export interface A {\n    readonly b: string;\n}\n" })
  const after = surface("after", { "index.d.ts": "export interface A {\n    readonly b?: string;\n}\n" })
  expect(before).not.toEqual(after)
})
