import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { type Opening, formats, inProcess, requirements, run } from "@postern/conformance"
import type { Browser } from "playwright-core"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { browserOfProcess, browserThere } from "../pages/browser.ts"
import { full } from "../tiers/tier.ts"
import { violations } from "./axe.ts"

/** Set to a folder, it gets a picture of the page. */
const pictures = process.env["POSTERN_SCREENSHOTS"]

describe.skipIf(!browserThere)("the HTML report of postern conform in Chromium", { timeout: 120_000 }, () => {
  const folder = mkdtempSync(join(tmpdir(), "postern-report-"))
  const file = join(folder, "report.html")
  let browser: Browser
  beforeAll(async () => {
    browser = await browserOfProcess()
    // A provider with faults, so that every kind of result is on the page: failures and warnings with their requests, a long address, a client that is not
    // known (skipped), a feature that is not there (not applicable) and a client that gets no answer (inconclusive).
    const broken = inProcess({
      options: (options) => ({
        ...options,
        features: (options.features ?? []).filter(({ name }) => name !== "ciba"),
        rulesOff: ["code.pkce-proof"],
      }),
      answer: (answer, request) => {
        const headers = new Headers(answer.headers)
        headers.delete("referrer-policy")
        if (request.url.includes("client_id=pairwise")) return new Response("no", { status: 503 })
        if (request.url.endsWith("/revocation")) return new Response("no", { status: 503, headers: { "x-long": "a".repeat(600) } })
        return new Response(answer.body, { status: answer.status, headers })
      },
    })
    const areas = ["discovery", "revocation"]
    const more = ["pkce.other", "authorize.referrer", "client-credentials.answer", "ciba.modes", "id-token.sub-pairwise"]
    const lacking: Opening = {
      ...broken,
      open: async () => {
        const target = await broken.open()
        const { machine: _machine, ...clients } = target.clients
        return { ...target, clients }
      },
    }
    const report = await run(
      lacking,
      requirements.filter(({ id }) => areas.includes(id.split(".")[0] ?? "") || more.includes(id)),
    )
    const every = ["fail", "inconclusive", "not applicable", "pass", "skip", "warn"]
    expect([...new Set(report.results.map(({ verdict }) => verdict))].sort()).toEqual(every)
    writeFileSync(file, formats.html(report))
  }, 120_000)
  afterAll(async () => {
    await browser?.close()
    rmSync(folder, { recursive: true, force: true })
  })

  // Colors do not depend on the width, nor the layout on the colors: outside of the full tier two windows show both schemes and both widths.
  const windows = [
    ["light", full ? [1280, 360] : [360]],
    ["dark", full ? [1280, 360] : [1280]],
  ] as const
  test.each(windows)(
    "is one page that axe finds nothing wrong with, wide and narrow, folded and open (%s)",
    async (colorScheme, widths) => {
      const context = await browser.newContext({ colorScheme })
      const tab = await context.newPage()
      for (const width of widths) {
        await tab.setViewportSize({ width, height: 800 })
        await tab.goto(pathToFileURL(file).href)
        expect(await violations(tab)).toEqual([])
        await tab.evaluate(() => document.querySelectorAll("details").forEach((each) => (each.open = true)))
        expect(await violations(tab)).toEqual([])
        expect(await tab.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true)
        if (pictures === undefined) continue
        mkdirSync(pictures, { recursive: true })
        await tab.goto(pathToFileURL(file).href)
        await tab.screenshot({ path: join(pictures, `report-${colorScheme}-${width}.png`) })
      }
      await context.close()
    },
  )
})
