import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { expect, test } from "vitest"
import { faultsOf, sound } from "../../cli/config.ts"
import { recipe, recipeTitles } from "./recipe.ts"

const interop = fileURLToPath(new URL("..", import.meta.url))

test("every recipe of docs/clients-recipes.md is run by a test of a client", () => {
  const tests = globSync("**/*.test.ts", { cwd: interop }).map((file) => readFileSync(join(interop, file), "utf8"))
  const run = recipeTitles.filter((title) => tests.some((text) => text.includes(`recipe("${title}"`)))
  expect(run).toEqual(recipeTitles)
  expect(recipeTitles.length).toBeGreaterThanOrEqual(10)
})

test.each(recipeTitles)("RFC 7591 §2: the recipe for %s is a configuration without a fault, outside of development too", async (title) => {
  const shown = recipe(title, "https://app.example.com", "MtGkZcVxZ0yGZqk7sYQ9wq8dFQx0pV1nJm3bLh5uTgE")
  expect(await faultsOf(sound({ ...shown }))).toEqual([])
})
