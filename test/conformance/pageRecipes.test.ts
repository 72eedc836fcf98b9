import { type Alteration, type Opening, type PageRecipe, inProcess, recipes, requirements, run } from "@postern/conformance"
import { describe, expect, test } from "vitest"
import { browserThere, chromiumPath } from "../pages/browser.ts"

/** Our own provider, whose pages have a script, and no ticked box: as where a person grants scopes one by one. */
const unticked: Alteration = {
  answer: async (answer) => {
    if (!(answer.headers.get("content-type") ?? "").startsWith("text/html")) return answer
    const page = (await answer.text()).replaceAll(/(<input[^>]*type="checkbox"[^>]*?)\schecked/g, "$1")
    const headers = new Headers(answer.headers)
    headers.delete("content-security-policy")
    return new Response(page.replace("</body>", "<script>0</script></body>"), { status: answer.status, headers })
  },
}

const own = recipes.find(({ name }) => name === "postern")?.pages ?? []

/** The same provider, whose pages are passed by our recipe with a change. */
const by = (change: Partial<PageRecipe>): Opening => {
  const opening = inProcess(unticked)
  const pages = own.map((page) => ({ ...page, ...change }))
  return { ...opening, open: async () => ({ ...(await opening.open()), recipe: { name: "of a test", pages } }) }
}

const some = requirements.filter(({ id }) => ["userinfo.scope-email", "authorize.denied"].includes(id))

const judged = async (change: Partial<PageRecipe>) => {
  const { results } = await run(by(change), some, { write: true })
  return Object.fromEntries(results.map(({ requirement: { id }, verdict }) => [id, verdict]))
}

const tick = "input[name=scope]"

test("a recipe ticks every box that its selector finds, and no other recipe does", async () => {
  await expect(judged({ tick })).resolves.toEqual({ "userinfo.scope-email": "pass", "authorize.denied": "pass" })
  await expect(judged({})).resolves.toEqual({ "userinfo.scope-email": "warn", "authorize.denied": "pass" })
  // A selector that cannot be read finds none.
  await expect(judged({ tick: "input[" })).resolves.toMatchObject({ "userinfo.scope-email": "warn" })
})

describe.skipIf(!browserThere)("in Chromium", () => {
  test("a recipe ticks the same boxes", { timeout: 60_000 }, async () => {
    process.env["POSTERN_CHROMIUM"] = chromiumPath
    await expect(judged({ tick, javascript: true })).resolves.toEqual({ "userinfo.scope-email": "pass", "authorize.denied": "pass" })
    await expect(judged({ javascript: true })).resolves.toMatchObject({ "userinfo.scope-email": "warn" })
  })
})

test("the recipe for Spring's pages refuses by the same button, with no box ticked", () => {
  const consent = recipes.find(({ name }) => name === "spring")?.pages.find(({ kind }) => kind === "consent")
  expect(consent?.refuse).toBe(consent?.click)
  expect(consent?.tick).toBeDefined()
})
