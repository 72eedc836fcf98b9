import type { Message } from "@postern/core/wire"
import { objectOf, textOf } from "../exchange/exchange.ts"
import type { Step } from "./misbehavior.ts"

const paths: ReadonlyArray<readonly [end: string, step: Step]> = [
  ["/.well-known/openid-configuration", "metadata"],
  ["/jwks", "keys"],
  ["/connect/authorize", "authorize"],
  ["/connect/token", "token"],
  ["/connect/userinfo", "userinfo"],
  ["/connect/deviceauthorization", "device"],
  ["/connect/ciba", "ciba"],
  ["/connect/endsession", "signed-out"],
]

const grants: Readonly<Record<string, Step>> = {
  refresh_token: "refresh",
  "urn:ietf:params:oauth:grant-type:device_code": "poll",
  "urn:openid:params:grant-type:ciba": "poll",
}

/** The step that a client's request is; undefined for requests to a person's pages. */
export const stepOf = ({ path }: Message, form: URLSearchParams): Step | undefined => {
  if (path.includes("/.well-known/oauth-authorization-server")) return "metadata"
  const step = paths.find(([end]) => path.endsWith(end))?.[1]
  if (step === "token" && form.get("requested_token_type")?.endsWith(":id-jag") === true) return "id-jag"
  return step === "token" ? (grants[form.get("grant_type") ?? ""] ?? step) : step
}

/** The parameters of a request's form or query. */
export const parametersOf = ({ method, body, query }: Message): URLSearchParams => new URLSearchParams(method === "POST" ? body : query)

const basicUser = (authorization = ""): string | undefined => {
  const coded = /^basic (.+)$/i.exec(authorization)?.[1]
  if (coded === undefined) return undefined
  const user = Buffer.from(coded, "base64").toString().split(":")[0] ?? ""
  return new URLSearchParams(`user=${user}`).get("user") ?? undefined
}

/** The client that a request identifies. */
export const clientIn = ({ headers }: Message, form: URLSearchParams): string | undefined => {
  const assertion = Buffer.from(form.get("client_assertion")?.split(".")[1] ?? "", "base64url").toString()
  return form.get("client_id") ?? basicUser(headers["authorization"]) ?? (textOf(objectOf(assertion)?.["sub"]) || undefined)
}

/** The access token of a request. */
export const bearerOf = ({ headers }: Message, form: URLSearchParams): string | undefined =>
  /^(?:bearer|dpop) (.+)$/i.exec(headers["authorization"] ?? "")?.[1] ?? form.get("access_token") ?? undefined

/** The nonce of a request's DPoP proof (RFC 9449 §4.2). */
export const nonceOf = ({ headers }: Pick<Message, "headers">): string | undefined => {
  const claims = Buffer.from(headers["dpop"]?.split(".")[1] ?? "", "base64url").toString()
  return textOf(objectOf(claims)?.["nonce"]) || undefined
}

/** The name by which a request identifies its sign-in: its code or token. */
export const nameIn = (step: Step | undefined, message: Message, form: URLSearchParams): string | undefined => {
  const named = (kind: string, value: string | null | undefined): string | undefined =>
    value === null || value === undefined ? undefined : `${kind} ${value}`
  if (step === "token") return named("code", form.get("code"))
  if (step === "refresh") return named("refresh", form.get("refresh_token"))
  if (step === "poll") return named("asked", form.get("device_code") ?? form.get("auth_req_id"))
  if (step === "id-jag") {
    const kind = form.get("subject_token_type")?.endsWith(":refresh_token") === true ? "refresh" : "identity"
    return named(kind, form.get("subject_token"))
  }
  return step === "userinfo" ? named("access", bearerOf(message, form)) : undefined
}
