import { liquidPages } from "@postern/adapter-http/pages"
import { describe, expect, it } from "vitest"
import { sampleContext, samples } from "../../packages/adapter-http/src/pages/samples.ts"
import { byId, tagsOf, textOf } from "./html.ts"

const pages = liquidPages()
const shown = (name: string, over: Partial<typeof sampleContext> = {}): string => {
  const sample = samples.find((each) => each.name === name)
  if (sample === undefined) throw new Error(`there is no sample ${name}`)
  return pages.render(sample.page, { ...sampleContext, ...over })
}
const inputs = (html: string, name: string) =>
  tagsOf(html).filter((tag) => ["input", "button"].includes(tag.name) && tag.attributes.get("name") === name)

describe("hooks that automation relies on", () => {
  it("sign in: username, password, login-submit, and what is known of the client", () => {
    const html = shown("login")
    expect(inputs(html, "username")[0]?.attributes.get("autocomplete")).toBe("username")
    expect(inputs(html, "password")[0]?.attributes.get("type")).toBe("password")
    expect(inputs(html, "password")[0]?.attributes.get("autocomplete")).toBe("current-password")
    expect(byId(html, "login-submit")?.name).toBe("button")
    expect(byId(html, "client-logo")?.attributes.get("src")).toBe("https://notes.example/logo.png")
    expect(byId(html, "client-policy")?.attributes.get("href")).toBe("https://notes.example/privacy")
    expect(byId(html, "client-tos")?.attributes.get("href")).toBe("https://notes.example/terms")
  })

  it("sign in elsewhere: a form and a button login-idp-NAME for each provider, beside the password or in its place", () => {
    for (const name of ["login-providers", "login-elsewhere"]) {
      const html = shown(name)
      for (const provider of ["corp", "school"]) expect(byId(html, `login-idp-${provider}`)?.name).toBe("button")
      expect(textOf(html)).toContain("Continue with Fabrikam Staff")
      expect(inputs(html, "password")).toHaveLength(name === "login-providers" ? 1 : 0)
      expect(tagsOf(html).filter((tag) => tag.name === "form")).toHaveLength(name === "login-providers" ? 3 : 2)
    }
    expect(textOf(shown("login"))).not.toContain("Continue with")
  })

  it("consent: one form, two answers to it, a box for each scope that may be left out", () => {
    const html = shown("consent")
    expect(byId(html, "consent-allow")?.attributes.get("value")).toBe("allow")
    expect(byId(html, "consent-deny")?.attributes.get("value")).toBe("deny")
    expect(inputs(html, "decision")).toHaveLength(2)
    expect(inputs(html, "scope").map(({ attributes }) => [attributes.get("type"), attributes.get("value")])).toEqual([
      ["hidden", "openid"],
      ["checkbox", "profile"],
      ["checkbox", "email"],
      ["checkbox", "notes.read"],
      ["checkbox", "notes.write"],
      ["checkbox", "claim birthdate"],
      ["checkbox", "offline_access"],
    ])
    expect(byId(html, "client-logo")).toBeDefined()
    expect(textOf(html)).toContain("https://notes.example")
  })

  it("the rest: logout-confirm, logged-out, op-error with the id to quote", () => {
    expect(byId(shown("logout"), "logout-confirm")?.name).toBe("button")
    expect(byId(shown("signed-out"), "logged-out")).toBeDefined()
    const html = shown("error")
    expect(byId(html, "op-error")).toBeDefined()
    expect(html).toContain(`<code id="request-id">${sampleContext.requestId}</code>`)
  })

  it("device: user_code, device-allow and device-deny, and the code itself (RFC 8628 §5.4)", () => {
    expect(inputs(shown("device"), "user_code").length).toBe(1)
    const html = shown("device-confirm")
    for (const id of ["device-allow", "device-deny"]) expect(byId(html, id)?.name).toBe("button")
    expect(textOf(html)).toContain("BCDF-GHJK")
  })

  it("every form posts below the issuer's path and carries its hidden fields", () => {
    for (const { name, page } of samples) {
      const tags = tagsOf(shown(name, { basePath: "/tenant" }))
      for (const { attributes } of tags.filter((tag) => tag.name === "form")) {
        // Asking which code a device shows changes nothing, and can be a link.
        expect(attributes.get("method")).toBe(page._tag === "DeviceCode" || page._tag === "DeviceQr" ? "get" : "post")
        if (page._tag !== "FormPost") expect(attributes.get("action")).toMatch(/^\/tenant\//)
      }
      const forms = tags.filter((tag) => tag.name === "form").length
      const csrf = tags.filter(({ attributes }) => attributes.get("name") === "csrf").length
      if (!["FormPost", "DeviceCode", "DeviceQr"].includes(page._tag)) expect(csrf, name).toBe(forms)
      for (const { attributes } of tags.filter((tag) => tag.name === "link")) expect(attributes.get("href")).toMatch(/^\/tenant\/assets\//)
    }
  })
})

describe("a tenant (specification §2.1 acr_values)", () => {
  const branded = liquidPages({
    name: "Postern",
    colors: { accent: "#17604f" },
    tenants: { acme: { name: "Acme & Sons", colors: { accent: "#7a1f5c" } }, plain: {} },
  })
  const sheets = (html: string) =>
    tagsOf(html).flatMap(({ attributes }) => (attributes.get("rel") === "stylesheet" ? [attributes.get("href")] : []))
  const login = samples.find(({ name }) => name === "login-home")
  const rendered = (tenant: string | undefined) => (login === undefined ? "" : branded.render(login.page, { ...sampleContext, tenant }))

  it("has its own name and colors on its pages, from a stylesheet that is served", () => {
    const html = rendered("acme")
    expect(textOf(html)).toContain("with your Acme & Sons account")
    const [, own = ""] = sheets(html)
    const served = branded.assets.find(({ name }) => own === `/assets/${name}`)
    expect(Buffer.from(served?.body ?? []).toString()).toContain("--accent: #7a1f5c")
  })

  it("without looks of its own, one that is not known, and none have everybody's", () => {
    for (const tenant of ["plain", "nobody", "toString", undefined]) {
      expect(textOf(rendered(tenant))).toContain("with your Postern account")
      expect(sheets(rendered(tenant))).toHaveLength(1)
    }
  })

  it("is told by its name when its looks are faulty", () => {
    expect(() => liquidPages({ tenants: { acme: { logo: "http://acme.example/logo.png" } } })).toThrow(/^tenants\.acme\.logo: .*https/)
    expect(() => liquidPages({ tenants: { acme: { colors: { accent: "red" } } } })).toThrow(/^tenants\.acme\.colors\.accent: /)
  })
})

describe("a sign-in form that is shown again", () => {
  it("says why, in an alert that both fields point to", () => {
    const html = shown("login-wrong")
    expect(byId(html, "login-problem")?.attributes.get("role")).toBe("alert")
    for (const name of ["username", "password"]) {
      expect(inputs(html, name)[0]?.attributes.get("aria-describedby")).toBe("login-problem")
      expect(inputs(html, name)[0]?.attributes.get("aria-invalid")).toBe("true")
    }
    expect(textOf(shown("login-throttled"))).toContain("45 seconds")
    expect(inputs(shown("login-throttled"), "username")[0]?.attributes.has("aria-invalid")).toBe(false)
  })

  it("keeps the username and puts the person at the password", () => {
    const html = shown("login-wrong")
    expect(inputs(html, "username")[0]?.attributes.get("value")).toBe("alice")
    expect(inputs(html, "username")[0]?.attributes.has("autofocus")).toBe(false)
    expect(inputs(html, "password")[0]?.attributes.has("autofocus")).toBe(true)
    expect(inputs(html, "password")[0]?.attributes.has("value")).toBe(false)
    expect(inputs(shown("login"), "username")[0]?.attributes.has("autofocus")).toBe(true)
  })
})

describe("an error page of logout", () => {
  const logout = samples.flatMap(({ name, page }) => (page._tag === "Error" && page.trouble.startsWith("logout_") ? [name] : []))

  it("says which part of the request was wrong (RP-Initiated Logout §2, §3)", () => {
    expect(new Set(logout.map((name) => textOf(shown(name)))).size).toBe(3)
    expect(textOf(shown("error-logout-redirect-uri-invalid"))).toContain("an address that is not registered with op.example")
    expect(textOf(shown("error-logout-hint-invalid"))).toContain("a sign-in that op.example does not recognize")
    expect(textOf(shown("error-logout-hint-foreign"))).toContain("belongs to another application")
  })

  it("lets the person sign out all the same, and no other page of error does", () => {
    for (const { name, page } of samples) {
      if (page._tag !== "Error") continue
      expect(byId(shown(name), "sign-out-here")?.attributes.get("href"), name).toBe(logout.includes(name) ? "/logout" : undefined)
    }
  })
})

describe("every page", () => {
  it.each(samples)("$name loads nothing from elsewhere but the client's picture, and runs no script but its own", ({ name }) => {
    const tags = tagsOf(shown(name))
    for (const { name: tag, attributes } of tags) {
      for (const attribute of attributes.keys()) expect(attribute, tag).not.toMatch(/^(?:on|style$)/)
      if (tag === "link" || tag === "script") expect(attributes.get("href") ?? attributes.get("src") ?? "/").toMatch(/^\//)
    }
    const scripts = tags.filter((tag) => tag.name === "script")
    expect(scripts).toHaveLength(1)
    for (const { attributes } of scripts) expect(attributes.get("nonce")).toBe(sampleContext.nonce)
  })

  it("names its assets after what they hold, so that they can be kept for ever", () => {
    expect(pages.assets.map(({ name }) => name.replace(/\.[\w-]{16}\./, ".DIGEST."))).toEqual(
      expect.arrayContaining(["postern.DIGEST.css", "icon.DIGEST.svg"]),
    )
    expect(
      tagsOf(shown("login"))
        .find(({ attributes }) => attributes.get("rel") === "stylesheet")
        ?.attributes.get("href"),
    ).toBe(`/assets/${pages.assets.find(({ name }) => name.endsWith(".css"))?.name}`)
  })
})
