import type { Page, PagesPort } from "@postern/core"
import { readPage } from "@postern/core/wire"
import { describe, expect, test } from "vitest"
import { pages as jsx } from "../../examples/jsx/pages.tsx"
import { pages as liquid } from "../../examples/liquid/pages.ts"
import { pages as templates } from "../../examples/templates/pages.ts"
import { sampleContext, samples } from "../../packages/adapter-http/src/pages/samples.ts"

const examples: ReadonlyArray<readonly [string, PagesPort]> = [
  ["templates", templates],
  ["jsx", jsx],
  ["liquid", liquid],
]

const drawn = async (pages: PagesPort, page: Page): Promise<string> =>
  (await readPage((await pages.render(page, sampleContext)) as unknown, () => undefined)).text

/** Members that choose what is drawn. */
const kept: ReadonlySet<string> = new Set(["_tag", "trouble", "problem", "kind", "notice"])

/** A page in which each text that comes from outside is hostile. */
const hostile = <Value>(value: Value, name = ""): Value => {
  if (typeof value === "string") return (kept.has(name) ? value : `${value}'"><script>hostile()</script>`) as Value
  if (Array.isArray(value)) return value.map((each) => hostile(each as unknown)) as Value
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, hostile(each as unknown, key)])) as Value
}

const formsOf = (page: Page): ReadonlyArray<string> =>
  [...JSON.stringify(page).matchAll(/"(?:csrf|interaction)","([^"]+)"/g)].map(([, value = ""]) => value)

describe.each(examples)("examples/%s", (_, pages) => {
  test.each(samples.map(({ name, page }) => [name, page] as const))(
    "%s is drawn whole, with its forms' tokens and the nonce",
    async (_name, page) => {
      const text = await drawn(pages, page)
      expect(text).toMatch(/^<!doctype html>\s*<html lang="en">[\s\S]*<\/html>\s*$/)
      expect(text).toContain(`<style nonce="${sampleContext.nonce}">`)
      for (const token of formsOf(page)) expect(text).toContain(`value="${token}"`)
      expect(text).not.toMatch(/undefined|\[object|\sstyle=|\son[a-z]+=/)
    },
  )

  test.each(samples.map(({ name, page }) => [name, page] as const))("OWASP XSS: %s escapes each text", async (_name, page) => {
    const text = await drawn(pages, hostile(page))
    expect(text).not.toContain("<script>hostile")
    expect(text).not.toContain(`'">`)
  })

  test("a page that there is none of fails, and createProvider knows", async () => {
    await expect(drawn(pages, { _tag: "Feature", name: "terms", model: {} })).rejects.toThrow(/terms|feature/)
    expect(pages.draws?.("terms")).toBe(false)
  })
})
