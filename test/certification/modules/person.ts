import { expect } from "vitest"
import { type Changes, type Module, Suite, everywhere, random } from "../suite.ts"

const accepted = (name: string, changes: Changes): Module => ({
  name,
  in: everywhere,
  run: async (plan) => void (await (await Suite.start(plan)).login(changes)),
})

const silent = (name: string, changes: (idToken: string) => Changes): Module => ({
  name,
  in: everywhere,
  run: async (plan) => {
    const suite = await Suite.start(plan)
    const first = await suite.login()
    suite.w.pass(2)
    const second = await suite.login({ prompt: "none", ...changes(first.rawIdToken) })
    expect(second.pages).toEqual([])
    for (const claim of ["sub", "auth_time"]) expect(second.idToken[claim]).toBe(first.idToken[claim])
  },
})

const again = (name: string, changes: Changes): Module => ({
  name,
  in: everywhere,
  run: async (plan) => {
    const suite = await Suite.start(plan)
    const first = await suite.login()
    suite.w.pass(2)
    const second = await suite.login(changes)
    expect(second.pages).toEqual(["Login"])
    expect(second.idToken["sub"]).toBe(first.idToken["sub"])
    expect(second.idToken["auth_time"]).toBeGreaterThan(Number(first.idToken["auth_time"]))
  },
})

/** Modules about the person: signing in, its age, and hints. */
export const person: ReadonlyArray<Module> = [
  accepted("oidcc-display-page", { display: "page" }),
  accepted("oidcc-display-popup", { display: "popup" }),
  again("oidcc-prompt-login", { prompt: "login" }),
  {
    name: "oidcc-prompt-none-not-logged-in",
    in: everywhere,
    run: async (plan) => {
      const suite = await Suite.start(plan)
      const pairs = suite.request({ prompt: "none", state: random(128) })
      const browsed = await suite.browse(pairs)
      expect(browsed.pages).toEqual([])
      expect(suite.errorOf(browsed, pairs)).toBe("login_required")
    },
  },
  silent("oidcc-prompt-none-logged-in", () => ({})),
  again("oidcc-max-age-1", { max_age: "1" }),
  {
    name: "oidcc-max-age-10000",
    in: everywhere,
    run: async (plan) => {
      const suite = await Suite.start(plan)
      const first = await suite.login({ max_age: "15000" })
      suite.w.pass(2)
      const second = await suite.login({ max_age: "10000" })
      expect(second.pages).toEqual([])
      expect(second.idToken["auth_time"]).toBe(first.idToken["auth_time"])
    },
  },
  accepted("oidcc-ensure-request-with-unknown-parameter-succeeds", { extra: "foobar" }),
  silent("oidcc-id-token-hint", (id_token_hint) => ({ id_token_hint })),
  accepted("oidcc-login-hint", { login_hint: "buffy@op.example" }),
  accepted("oidcc-ui-locales", { ui_locales: "se" }),
  accepted("oidcc-claims-locales", { claims_locales: "se" }),
  {
    name: "oidcc-ensure-request-with-acr-values-succeeds",
    in: everywhere,
    run: async (plan) => {
      const suite = await Suite.start(plan)
      // The suite asks for those that are listed, and warns of an acr that is none of them.
      const listed = suite.document["acr_values_supported"] as ReadonlyArray<string>
      expect(listed.length).toBeGreaterThan(0)
      const { idToken } = await suite.login({ acr_values: listed.join(" ") })
      expect(listed).toContain(idToken["acr"])
    },
  },
  {
    name: "oidcc-claims-essential",
    in: everywhere,
    run: async (plan) => {
      const suite = await Suite.start(plan)
      expect(suite.document["claims_parameter_supported"]).toBe(true)
      const place = plan.responseType === "id_token" ? "id_token" : "userinfo"
      await suite.login({ claims: JSON.stringify({ [place]: { name: { essential: true } } }) })
    },
  },
]
