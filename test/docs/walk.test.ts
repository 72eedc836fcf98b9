import { readFileSync } from "node:fs"
import { expect, test, vi } from "vitest"
import { walks } from "./walk.ts"

vi.setConfig({ testTimeout: 240_000 })

const page = readFileSync(new URL("../../docs/architecture.md", import.meta.url), "utf8")

/** The files that a section of the page names, as paths from `packages/`. */
const named = (heading: string): ReadonlyArray<string> => {
  const [, section = ""] = page.split(`### ${heading}\n`)
  return [...(section.split("\n#")[0] ?? "").matchAll(/`((?:core|adapter-[a-z]+)\/src\/[^`]+)`/g)].map(([, file = ""]) => file)
}

/** Folders of core of which the page names every file that a request goes through. */
const whole = /^core\/src\/(?:features|issuance|settle|provider)\//

test("docs/architecture.md walks the files that a code and a refresh token really go through", async () => {
  const walked = await walks()
  const ran = (grant: keyof typeof walked) => walked[grant].map(({ file }) => file.slice("packages/".length))
  const code = named("A code is redeemed")
  expect(code.length).toBeGreaterThan(20)
  expect(code.filter((file) => !ran("authorization_code").includes(file) && !file.includes("/features/"))).toEqual([])
  expect(ran("authorization_code").filter((file) => whole.test(file) && !code.includes(file))).toEqual([])
  const own = "core/src/features/refresh-token/index.ts"
  expect(named("A refresh token is rotated")).toContain(own)
  expect(ran("refresh_token").filter((file) => whole.test(file) && !code.includes(file) && file !== own)).toEqual([])
})
