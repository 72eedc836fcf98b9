import { liquidPages } from "@postern/adapter-http/pages"
import type { ClientFace, ConsentScope, Form, Page, PersonFace } from "@postern/core/model"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { sampleContext } from "../../packages/adapter-http/src/pages/samples.ts"
import { codePoint } from "../properties/codePoint.ts"
import { runs } from "../tiers/tier.ts"
import { shapeOf, tagsOf, textOf } from "./html.ts"

const pages = liquidPages()

/** Pages in which every text that comes from outside is the same one. */
const filledWith = (text: string): ReadonlyArray<Page> => {
  const client: ClientFace = {
    clientId: text,
    name: `x${text}`,
    uri: `https://app.example/${text}`,
    logoUri: `https://app.example/${text}`,
    policyUri: `https://app.example/${text}`,
    tosUri: `https://app.example/${text}`,
  }
  const person: PersonFace = { subject: text, username: `u${text}`, name: `n${text}`, zone: text }
  const form: Form = { action: `/do?${text}`, hidden: [[text, text]] }
  const scopes: ReadonlyArray<ConsentScope> = [true, false].map((required) => ({
    name: text,
    kind: "resource",
    required,
    title: `t${text}`,
    description: `d${text}`,
    resources: [text, `r${text}`],
  }))
  const login: Extract<Page, { _tag: "Login" }> = {
    _tag: "Login",
    form,
    client,
    username: `u${text}`,
    local: true,
    providers: [{ name: "corp", displayName: `p${text}`, form }],
    problem: undefined,
    problemProvider: `q${text}`,
    retryAfter: undefined,
    person,
    another: `/login?${text}`,
    tenant: `t${text}`,
  }
  return [
    { ...login, problem: "credentials" },
    { ...login, problem: "upstream_denied", local: false },
    { ...login, problem: undefined },
    { _tag: "Consent", form, client, person, scopes, destination: `https://app.example/${text}`, another: `/${text}` },
    {
      _tag: "Home",
      person,
      sessions: [{ id: text, agent: text, address: text, signedInAt: 1, seenAt: 1, current: false }],
      consents: [{ client, scopes, grantedAt: 1 }],
      endSession: form,
      withdrawConsent: form,
      logout: form,
      another: `/${text}`,
      notice: undefined,
    },
    { _tag: "Logout", person, form },
    { _tag: "Error", trouble: "failed", error: `e${text}`, retryAfter: 1 },
    { _tag: "FormPost", action: `https://app.example/${text}`, fields: [[text, text]], clientName: `x${text}` },
  ]
}

const nasty = fc.oneof(
  fc.string({ unit: codePoint, maxLength: 60 }),
  fc
    .array(
      fc.constantFrom(
        "<",
        ">",
        '"',
        "'",
        "&",
        "/",
        "=",
        " ",
        "script",
        "onload",
        "{{",
        "}}",
        "{%",
        "%}",
        "{client}",
        "&lt;",
        "]]>",
        "<!--",
        "-->",
        "\u0000",
        "\u202e",
      ),
      { maxLength: 12 },
    )
    .map((parts) => parts.join("")),
)

describe("what comes from outside", () => {
  it("never becomes markup, whatever it holds and wherever it stands", { timeout: 120_000 }, () => {
    // A text that happens to be a language's tag, such as ca, has its dates written in that language's way; one that has a page's language near it, as Wo has
    // French, has the page in that.
    const shape = (html: string): string => shapeOf(html).replace(" data-formats", "").replace(" aria-current", "")
    const plain = filledWith("a").map((page) => shape(pages.render(page, sampleContext)))
    fc.assert(
      fc.property(nasty, (text) => {
        const context = { ...sampleContext, requestId: text, locales: [text] }
        for (const [at, page] of filledWith(text).entries()) expect(shape(pages.render(page, context))).toBe(plain[at])
      }),
      { numRuns: runs(1000), examples: [["ca"], ["Wo"]] },
    )
  })

  it("reads on the page as it was sent", () => {
    const text = `<b onclick="x()">&amp; 'it' {{ site.name }}`
    for (const page of filledWith(text)) {
      const html = pages.render(page, sampleContext)
      expect(html).not.toContain("<b onclick")
      if (page._tag !== "SignedOut" && page._tag !== "Error") expect(textOf(html)).toContain(text.replace(/\s+/g, " "))
    }
  })

  it("a client's name turns the direction of no words but its own, also where it is a link (Unicode Standard Annex #9 §3.3.2)", () => {
    const name = "\u202eeman"
    for (const page of filledWith("a")) {
      if (page._tag !== "Home") continue
      const consents = page.consents.map((each) => ({ ...each, client: { ...each.client, name } }))
      const html = pages.render({ ...page, consents }, sampleContext)
      expect(html).toContain(name)
      expect(textOf(html.replace(/<bdi\b[^>]*>[^<]*<\/bdi>/g, ""))).not.toContain(name)
    }
  })

  it("reaches the hidden fields of a form byte for byte (OAuth 2.0 Form Post Response Mode §2)", () => {
    const value = `a"b'c<d>&e&amp;f\u00e9\u{1f511}  g`
    const html = pages.render(
      { _tag: "FormPost", action: "https://app.example/cb?x=1&y=2", fields: [["state", value]], clientName: "App" },
      sampleContext,
    )
    expect(
      tagsOf(html)
        .find(({ attributes }) => attributes.get("name") === "state")
        ?.attributes.get("value"),
    ).toBe(value)
    expect(
      tagsOf(html)
        .find(({ name }) => name === "form")
        ?.attributes.get("action"),
    ).toBe("https://app.example/cb?x=1&y=2")
  })

  it.each(["javascript:alert(1)", "data:text/html,x", "JaVaScRiPt:x", "//evil.example", "vbscript:x"])(
    "is no link and no picture when it is not a web address: %s",
    (uri) => {
      const client: ClientFace = { clientId: "c", name: "C", uri, logoUri: uri, policyUri: uri, tosUri: uri }
      for (const page of filledWith("a")) {
        const html = pages.render(
          "client" in page
            ? ({ ...page, client } as Page)
            : page._tag === "Home"
              ? { ...page, consents: page.consents.map((each) => ({ ...each, client })) }
              : page,
          sampleContext,
        )
        for (const { attributes } of tagsOf(html)) for (const key of ["href", "src"]) expect(attributes.get(key) ?? "").not.toContain(uri)
      }
    },
  )
})
