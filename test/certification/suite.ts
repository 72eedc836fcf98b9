import { randomBytes } from "node:crypto"
import { expect } from "vitest"
import { follow } from "../support/flows.ts"
import type { Said, Visitor } from "../support/visitor.ts"
import { type World, issuer, password } from "../support/world.ts"
import { discovered, errorCharacters, idTokenHolds, keySet, unguessable } from "./contract.ts"
import { Endpoints, type SuiteClient, type TokenAnswer } from "./endpoints.ts"
import { type Plan, gives, hasAccessToken, modeOf } from "./plan.ts"
import { callback, claimsOfScope, clients, setting } from "./setting.ts"

export type Changes = Readonly<Record<string, string | undefined>>

/** Outcome of one login. */
export interface Outcome {
  readonly params: Readonly<Record<string, string>>
  readonly pages: ReadonlyArray<string>
  /** The claims of the ID token of the authorization endpoint, else of the token endpoint. */
  readonly idToken: Readonly<Record<string, unknown>>
  /** The ID token itself, of the token endpoint where there is one. */
  readonly rawIdToken: string
  readonly accessToken: string | undefined
  readonly token: TokenAnswer | undefined
}

/** Random text, 43 characters of it or more ending in what some providers mangle. */
export const random = (length = 10): string =>
  length < 43
    ? randomBytes(length).toString("hex").slice(0, length)
    : `${randomBytes(length)
        .toString("base64url")
        .replaceAll(/[-_]/g, "a")
        .slice(0, length - 4)}-._~`

/** A module of the suite at work: one provider, one browser that starts without cookies, one client. */
export class Suite extends Endpoints {
  readonly plan: Plan
  readonly #browser: Visitor

  private constructor(w: World, plan: Plan, document: Readonly<Record<string, unknown>>, client: SuiteClient, browser: Visitor) {
    super(w, document, client)
    this.plan = plan
    this.#browser = browser
  }

  /** Sets up a provider and makes the checks that come before everything else. */
  static async start(plan: Plan, clientId = "suite one"): Promise<Suite> {
    const w = await setting()
    const { document } = await discovered(w)
    await keySet(w)
    return Suite.#as(w, plan, document, clientId, w.visitor())
  }

  static #as(w: World, plan: Plan, document: Readonly<Record<string, unknown>>, clientId: string, browser: Visitor): Suite {
    const client = clients.find(({ client_id }) => client_id === clientId)
    if (client === undefined) throw new Error(`no client ${clientId}`)
    expect(document["token_endpoint_auth_methods_supported"]).toContain(client.token_endpoint_auth_method ?? "client_secret_basic")
    return new Suite(w, plan, document, client, browser)
  }

  /** The same provider and browser, as another client. */
  as(clientId: string): Suite {
    return Suite.#as(this.w, this.plan, this.document, clientId, this.#browser)
  }

  /** The parameters of an authorization request, in order. */
  request(changes: Changes = {}): ReadonlyArray<readonly [string, string]> {
    const base: Changes = {
      client_id: this.client.client_id,
      redirect_uri: callback,
      scope: "openid",
      state: random(),
      nonce: random(),
      response_type: this.plan.responseType,
      response_mode: this.plan.formPost ? "form_post" : undefined,
      ...changes,
    }
    return Object.entries(base).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]))
  }

  /** Sends a request and does what its pages ask for, until it is answered, or a page says that it cannot be. */
  async browse(
    pairs: ReadonlyArray<readonly [string, string]>,
    method: "get" | "post" = "get",
  ): Promise<{ readonly end: Said; readonly pages: ReadonlyArray<string> }> {
    const path = new URL(String(this.document["authorization_endpoint"])).pathname
    let answer = await follow(this.#browser, await this.#browser[method](path, pairs))
    const pages: Array<string> = []
    while (pages.length < 5 && (answer.page?.["_tag"] === "Login" || answer.page?.["_tag"] === "Consent")) {
      pages.push(String(answer.page["_tag"]))
      const scopes = (answer.page["scopes"] ?? []) as ReadonlyArray<{ readonly name: string }>
      const fields: ReadonlyArray<readonly [string, string]> =
        answer.page["_tag"] === "Login"
          ? [
              ["username", "alice"],
              ["password", password],
            ]
          : [["decision", "allow"], ...scopes.map(({ name }) => ["scope", name] as const)]
      answer = await follow(this.#browser, await this.#browser.submit(answer.page, fields))
    }
    return { end: answer, pages }
  }

  /** The parameters of an answer, once it came in the right place with the right state and issuer. */
  #answered(
    { end }: { readonly end: Said },
    pairs: ReadonlyArray<readonly [string, string]>,
    mode = modeOf(this.plan),
  ): Record<string, string> {
    const place = new URL(mode === "form_post" ? String(end.page?.["action"]) : (end.header("location") ?? ""))
    expect(place.origin + place.pathname).toBe(callback)
    const query = Object.fromEntries(place.searchParams)
    const fragment = Object.fromEntries(new URLSearchParams(place.hash.slice(1)))
    expect(end.page?.["_tag"]).toBe(mode === "form_post" ? "FormPost" : undefined)
    if (mode === "query") expect(fragment).toEqual({})
    else expect(query).toEqual({})
    const params = mode === "query" ? query : mode === "fragment" ? fragment : end.params
    expect(params["state"]).toBe(new Map(pairs).get("state"))
    expect(params["iss"]).toBe(issuer)
    return params
  }

  /** An error that is sent back to the client, by its code. */
  errorOf(browsed: { readonly end: Said }, pairs: ReadonlyArray<readonly [string, string]>, mode = modeOf(this.plan)): string {
    const params = this.#answered(browsed, pairs, mode)
    errorCharacters(params)
    for (const name of Object.keys(params)) expect(["error", "error_description", "error_uri", "state", "iss"]).toContain(name)
    return params["error"] ?? ""
  }

  /** An error page that stops here: no redirect, wherever to. */
  stopped({ end, pages }: { readonly end: Said; readonly pages: ReadonlyArray<string> }, trouble: string): void {
    expect(pages).toEqual([])
    expect(end.page).toMatchObject({ _tag: "Error", trouble })
    expect(end.status).toBe(400)
    expect(end.header("location")).toBe(undefined)
  }

  /** A request object that nobody signed (OpenID Connect Core §6.1). */
  unsigned(pairs: ReadonlyArray<readonly [string, string]>): string {
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url")
    return `${part({ alg: "none" })}.${part({ ...Object.fromEntries(pairs), iss: this.client.client_id, aud: issuer })}.`
  }

  /** Sends a request, and checks that what comes back is what was asked for. */
  async ask(pairs: ReadonlyArray<readonly [string, string]>, method: "get" | "post" = "get") {
    const browsed = await this.browse(pairs, method)
    const params = this.#answered(browsed, pairs)
    expect(params["error"]).toBe(undefined)
    const given = { code: gives(this.plan, "code"), id_token: gives(this.plan, "id_token"), access_token: gives(this.plan, "token") }
    for (const [name, expected] of Object.entries(given)) expect(name in params, name).toBe(expected)
    if (given.code) unguessable(params["code"])
    if (given.access_token) expect(params["token_type"]).toMatch(/^bearer$/i)
    return { params, pages: browsed.pages }
  }

  /** Runs one login through: the request, its answer, the token endpoint, the ID tokens, userinfo. */
  async login(changes: Changes = {}, verifier?: string): Promise<Outcome> {
    return this.loginBy(this.request(changes), "get", verifier)
  }

  /** The same with parameters in an order of their own, or by POST. */
  async loginBy(pairs: ReadonlyArray<readonly [string, string]>, method: "get" | "post" = "get", verifier?: string): Promise<Outcome> {
    const { params, pages } = await this.ask(pairs, method)
    const asked = new Map(pairs)
    const scopes = (asked.get("scope") ?? "").split(" ")
    const named = JSON.parse(asked.get("claims") ?? "{}") as Record<string, Record<string, unknown>>
    const userClaims = [...scopes.flatMap((scope) => claimsOfScope[scope] ?? []), ...Object.values(named).flatMap(Object.keys)]
    const expected = {
      clientId: this.client.client_id,
      nonce: asked.get("nonce"),
      code: params["code"],
      accessToken: params["access_token"],
      userClaims: hasAccessToken(this.plan) ? [] : userClaims,
    }
    const front =
      params["id_token"] === undefined ? undefined : await idTokenHolds(this.w, params["id_token"], { ...expected, frontChannel: true })
    const token = params["code"] === undefined ? undefined : await this.tokens(params["code"], verifier)
    const accessToken = params["access_token"] ?? token?.access_token
    const back =
      token === undefined
        ? undefined
        : await idTokenHolds(this.w, token.id_token, { ...expected, accessToken: token.access_token, frontChannel: false })
    if (front !== undefined && back !== undefined) expect(back["sub"]).toBe(front["sub"])
    const idToken = front ?? back ?? {}
    for (const each of [params["access_token"], token?.access_token])
      if (each !== undefined) await this.userinfo(each, idToken["sub"], userClaims)
    return { params, pages, idToken, rawIdToken: token?.id_token ?? params["id_token"] ?? "", accessToken, token }
  }
}

/** A module of the suite: whether a plan has it, and what must happen. */
export interface Module {
  readonly name: string
  readonly in: (plan: Plan) => boolean
  readonly run: (plan: Plan) => Promise<void>
}

export const everywhere = (): boolean => true
