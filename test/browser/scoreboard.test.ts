import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { startMisbehaving } from "@postern/conformance/misbehave"
import type { Browser } from "playwright-core"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { browserOfProcess, browserThere } from "../pages/browser.ts"
import { full } from "../tiers/tier.ts"
import { violations } from "./axe.ts"

/** Set to a folder, it gets a picture of the page. */
const pictures = process.env["POSTERN_SCREENSHOTS"]

describe.skipIf(!browserThere)("the scoreboard of postern misbehave in Chromium", { timeout: 60_000 }, () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await browserOfProcess()
  })
  afterAll(async () => browser?.close())

  // Colors do not depend on the width, nor the layout on the colors: outside of the full tier two windows show both schemes and both widths.
  const windows = [
    ["light", full ? [1280, 360] : [360]],
    ["dark", full ? [1280, 360] : [1280]],
  ] as const
  test.each(windows)("is a table that axe finds nothing wrong with, wide and narrow (%s)", async (colorScheme, widths) => {
    const clients = [{ client_id: "app", client_secret: "secret", redirect_uris: ["https://app.example/cb"] }]
    const op = await startMisbehaving({ clients })
    try {
      await fetch(`${op.issuerOf("metadata.issuer-other")}/.well-known/openid-configuration`)
      op.told("metadata.issuer-other", "app", false)
      await fetch(`${op.issuerOf("metadata.issuer-slash")}/.well-known/openid-configuration`)
      op.told("metadata.issuer-slash", "app", true)
      const context = await browser.newContext({ colorScheme, javaScriptEnabled: true })
      const tab = await context.newPage()
      for (const width of widths) {
        await tab.setViewportSize({ width, height: 800 })
        await tab.goto(op.scoreboard)
        expect(await tab.locator("tr", { hasText: "metadata.issuer-other" }).innerText()).toContain("noticed")
        expect(await tab.locator("tr", { hasText: "metadata.issuer-slash" }).innerText()).toContain("accepted")
        expect(await violations(tab)).toEqual([])
        expect(await tab.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true)
        if (pictures === undefined) continue
        mkdirSync(pictures, { recursive: true })
        await tab.screenshot({ path: join(pictures, `scoreboard-${colorScheme}-${width}.png`) })
      }
      await tab.getByRole("link", { name: "Refresh" }).click()
      expect(await tab.title()).toBe("Scoreboard")
      const row = tab.locator("tr", { hasText: "metadata.issuer-slash" })
      await row.getByRole("button", { name: "No:" }).click()
      expect(await row.innerText()).toContain("the person was not signed in")
      await context.close()
    } finally {
      await op.stop()
    }
  })
})
