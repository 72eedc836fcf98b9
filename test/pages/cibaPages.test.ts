import { cibaDesigns } from "@postern/adapter-http/ciba"
import { cibaApprovalPage } from "@postern/core"
import { liquidPages } from "@postern/adapter-http/pages"
import { describe, expect, test } from "vitest"
import { sampleContext } from "../../packages/adapter-http/src/pages/samples.ts"

const pages = liquidPages({ pages: cibaDesigns })
const languages = ["en", "de", "fr", "es", "pt", "ja"]

describe.each(cibaDesigns.flatMap(({ name, samples }) => samples.map((page, at) => ({ name, at, page }))))(
  "$name, sample $at",
  ({ page }) => {
    test.each(languages)("is drawn in %s, whole and in that language", (language) => {
      const html = pages.render(page, { ...sampleContext, locales: [language] })
      expect(html).toContain(`<html lang="${language}"`)
      expect(html).toContain("</html>")
      expect(html).not.toMatch(/\{\{|\{%|undefined|ciba\.|ciba-done\./)
    })
  },
)

test("CIBA Core §7.1: the message of a client is escaped on the page", () => {
  const form = { action: "/approve", hidden: [] }
  const face = { clientId: "till", name: "<b>Till</b>", uri: undefined, logoUri: undefined, policyUri: undefined, tosUri: undefined }
  const person = { subject: "ada", username: "ada", name: "Ada", zone: undefined }
  const page = cibaApprovalPage.page({
    form,
    client: face,
    person,
    bindingMessage: "<script>alert(1)</script>",
    scopes: [],
    askedAt: 0,
    another: "/approve?another=1",
  })
  const html = pages.render(page, sampleContext)
  expect(html).toContain("&lt;script&gt;alert(1)&lt;/script&gt;")
  expect(html).not.toContain("<script>alert(1)")
  expect(html).not.toContain("<b>Till</b>")
})

test("RFC 9396 §2: the details that a client asks for are on the page, and escaped", () => {
  const sample = cibaDesigns.find(({ name }) => name === "ciba")?.samples.map((each) => cibaApprovalPage.modelOf(each)) ?? []
  const [model] = sample.filter((each) => each?.details !== undefined)
  const [detail] = model?.details ?? []
  if (model === undefined || detail === undefined) throw new Error("no sample has details")
  const said = { en: { title: "Payment", summary: ["Pay ", { value: "<b>12.50</b>" }], fields: [] } }
  const html = pages.render(cibaApprovalPage.page({ ...model, details: [{ ...detail, said }] }), sampleContext)
  expect(html).toContain(">Payment<")
  expect(html).toContain("&lt;b&gt;12.50&lt;/b&gt;")
  expect(html).not.toContain("<b>12.50")
})
