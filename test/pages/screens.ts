// Shows every sample page in both schemes, wide and narrow: `node test/pages/screens.ts [FOLDER] [NAME…]`.
import { mkdirSync } from "node:fs"
import { cibaDesigns } from "@postern/adapter-http/ciba"
import { liquidPages } from "@postern/adapter-http/pages"
import { sampleContext, samples } from "../../packages/adapter-http/src/pages/samples.ts"
import { openBrowser, show } from "./browser.ts"

const [folder = "/tmp/postern-pages", ...names] = process.argv.slice(2)
const locale = process.env["PAGES_LOCALE"] ?? "en"
mkdirSync(folder, { recursive: true })
const pages = liquidPages({ pages: cibaDesigns })
const ofFeatures = cibaDesigns.flatMap((design) => design.samples.map((page, at) => ({ name: `${design.name}-${at}`, page })))
const browser = await openBrowser()
const widths = { wide: { width: 1280, height: 800 }, narrow: { width: 390, height: 844 } } as const

for (const [width, viewport] of Object.entries(widths)) {
  for (const colorScheme of ["light", "dark"] as const) {
    // With scripts, the form of `form_post` would be sent before it is shown.
    const tab = await browser.newPage({ viewport, colorScheme, deviceScaleFactor: 1, javaScriptEnabled: false })
    for (const { name, page } of [...samples, ...ofFeatures]) {
      if (names.length > 0 && !names.includes(name)) continue
      await show(tab, pages, page, { ...sampleContext, locales: [locale] })
      await tab.screenshot({ path: `${folder}/${name}-${colorScheme}-${width}.png`, fullPage: true })
    }
    await tab.close()
  }
}
await browser.close()
