import { expect } from "vitest"
import { basic } from "../support/flows.ts"
import { type Said, said } from "../support/visitor.ts"
import type { World } from "../support/world.ts"
import { errorCharacters } from "./contract.ts"
import { callback, type clients } from "./setting.ts"
import { standardClaimsHold } from "./standardClaims.ts"

export type SuiteClient = (typeof clients)[number]

/** A token response (RFC 6749 §5.1, OpenID Connect Core §3.1.3.3). */
export interface TokenAnswer {
  readonly access_token: string
  readonly id_token: string
  readonly refresh_token?: string
}

/** The endpoints that a client calls by itself. */
export class Endpoints {
  readonly w: World
  readonly document: Readonly<Record<string, unknown>>
  readonly client: SuiteClient

  constructor(w: World, document: Readonly<Record<string, unknown>>, client: SuiteClient) {
    this.w = w
    this.document = document
    this.client = client
  }

  /** Redeems a code for what must come of it. */
  async tokens(code: string, verifier?: string): Promise<TokenAnswer> {
    const { status, json } = await this.redeem(code, verifier)
    expect(status).toBe(200)
    expect(json?.["access_token"]).toMatch(/./)
    expect(json?.["token_type"]).toMatch(/^bearer$/i)
    expect(json?.["expires_in"]).toSatisfy((seconds: number) => seconds >= 1 && seconds <= 31_536_000)
    return json as unknown as TokenAnswer
  }

  /** Sends a code to the token endpoint. */
  redeem(code: string, verifier?: string): Promise<Said> {
    const proof = verifier === undefined ? {} : { code_verifier: verifier }
    return this.token({ grant_type: "authorization_code", code, redirect_uri: callback, ...proof })
  }

  /** Asks the token endpoint as this client. */
  async token(fields: Readonly<Record<string, string>>): Promise<Said> {
    const { client_id, client_secret, token_endpoint_auth_method } = this.client
    const inForm = token_endpoint_auth_method === "client_secret_post"
    return said(
      await this.w.send({
        method: "POST",
        path: new URL(String(this.document["token_endpoint"])).pathname,
        body: new URLSearchParams({ ...fields, ...(inForm ? { client_id, client_secret } : {}) }).toString(),
        headers: {
          "content-type": "application/x-www-form-urlencoded",
          ...(inForm ? {} : { authorization: basic(client_id, client_secret) }),
        },
      }),
    )
  }

  /** Asks userinfo in one of three ways. */
  async askUserinfo(accessToken: string, way: "get" | "post-header" | "post-body" = "get"): Promise<Said> {
    const form = { "content-type": "application/x-www-form-urlencoded" }
    return said(
      await this.w.send({
        path: new URL(String(this.document["userinfo_endpoint"])).pathname,
        method: way === "get" ? "GET" : "POST",
        headers: way === "post-body" ? form : { authorization: `Bearer ${accessToken}` },
        body: way === "post-body" ? new URLSearchParams({ access_token: accessToken }).toString() : "",
      }),
    )
  }

  /** Userinfo answers with the sub of the ID token and exactly the claims that were asked for. */
  async userinfo(
    accessToken: string,
    sub: unknown,
    userClaims: ReadonlyArray<string>,
    way: "get" | "post-header" | "post-body" = "get",
  ): Promise<void> {
    const { status, json, header } = await this.askUserinfo(accessToken, way)
    expect(status).toBe(200)
    expect(header("content-type")).toBe("application/json")
    expect(json?.["sub"]).toBe(sub)
    expect(Object.keys(json ?? {}).toSorted()).toEqual(["sub", ...userClaims].toSorted())
    standardClaimsHold(json ?? {}, this.w.now())
  }

  /** An error of the token endpoint. */
  refused({ status, json }: Said, error: string): void {
    expect(status).toBe(400)
    expect(json?.["error"]).toBe(error)
    errorCharacters(json ?? {})
  }
}
