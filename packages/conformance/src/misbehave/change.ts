import type { Answer } from "@postern/core/wire"
import { objectOf, textOf } from "../exchange/exchange.ts"
import type { Forge, Forged, Members } from "./forge.ts"
import type { Transform } from "./misbehavior.ts"

/** Another body, with its media type. */
export const withBody = (answer: Answer, body: string, type?: string): Answer => ({
  status: answer.status,
  headers: answer.headers
    .filter(([name]) => name.toLowerCase() !== "content-length")
    .map(([name, value]) => [name, type !== undefined && name.toLowerCase() === "content-type" ? type : value]),
  body,
})

const isFine = ({ status }: Answer): boolean => status >= 200 && status < 300

/** Changes members of a JSON answer that is no error; one that is undefined is left out. */
export const members =
  (change: (found: Members, issuer: string) => Members | undefined): Transform =>
  ({ answer, issuer }) => {
    const found = isFine(answer) ? objectOf(answer.body) : undefined
    const changed = found === undefined ? undefined : change(found, issuer)
    return changed === undefined ? undefined : withBody(answer, JSON.stringify({ ...found, ...changed }))
  }

/** Gives another answer in place of one that is no error. */
export const instead =
  (status: number, type: string, body: string): Transform =>
  ({ answer }) =>
    isFine(answer) ? { status, headers: [["content-type", type]], body } : undefined

/** Parameters of an authorization response, in the query or the fragment of the address it goes to. */
export const parameters =
  (change: (found: URLSearchParams, issuer: string) => boolean): Transform =>
  ({ answer, issuer }) => {
    const to = new URL(locationOf(answer) ?? "about:blank")
    const place = to.hash === "" ? "search" : "hash"
    const found = new URLSearchParams(to[place].slice(1))
    if (found.has("error") || !change(found, issuer)) return undefined
    to[place] = found.toString()
    return moved(answer, to.href)
  }

const locationOf = ({ headers }: Answer): string | undefined => headers.find(([name]) => name.toLowerCase() === "location")?.[1]

const moved = (answer: Answer, to: string): Answer => ({
  ...answer,
  headers: answer.headers.map(([name, value]) => [name, name.toLowerCase() === "location" ? to : value]),
})

/** What becomes of an ID token; undefined where it has nothing to change. */
export type Rewrite = (token: Forged, forge: Forge, issuer: string) => string | undefined | Promise<string | undefined>

/** Rewrites the ID token of a token response. */
export const idTokenOf =
  (rewrite: Rewrite): Transform =>
  async ({ answer, forge, issuer }) => {
    const found = isFine(answer) ? objectOf(answer.body) : undefined
    const token = forge.read(textOf(found?.["id_token"]))
    const id_token = token === undefined ? undefined : await rewrite(token, forge, issuer)
    return id_token === undefined ? undefined : withBody(answer, JSON.stringify({ ...found, id_token }))
  }

/** Rewrites the ID token of an authorization response in the fragment. */
export const frontIdToken =
  (rewrite: Rewrite): Transform =>
  async ({ answer, forge, issuer }) => {
    const to = new URL(locationOf(answer) ?? "about:blank")
    const found = new URLSearchParams(to.hash.slice(1))
    const token = forge.read(found.get("id_token") ?? "")
    const jwt = token === undefined ? undefined : await rewrite(token, forge, issuer)
    if (jwt === undefined) return undefined
    found.set("id_token", jwt)
    to.hash = found.toString()
    return moved(answer, to.href)
  }
