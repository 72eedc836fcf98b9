import type { Answer } from "@postern/core/wire"
import { objectOf, textOf } from "../exchange/exchange.ts"
import type { Forge, Forged, Members } from "./forge.ts"
import type { Change, Delivered, Outcome, Transform } from "./misbehavior.ts"
import { type Returned, returnedBy, returning } from "./response.ts"

/** Replaces the body and the media type. */
export const withBody = (answer: Answer, body: string, type?: string): Answer => ({
  status: answer.status,
  headers: answer.headers
    .filter(([name]) => name.toLowerCase() !== "content-length")
    .map(([name, value]) => [name, type !== undefined && name.toLowerCase() === "content-type" ? type : value]),
  body,
})

/** Reports whether a response is a success. */
export const isFine = ({ status }: Answer): boolean => status >= 200 && status < 300

/** Changes the members of a successful JSON response. Undefined removes a member. */
export const members =
  (change: (found: Members, more: Change) => Members | undefined): Transform =>
  (more) => {
    const found = isFine(more.answer) ? objectOf(more.answer.body) : undefined
    const changed = found === undefined ? undefined : change(found, more)
    return changed === undefined ? undefined : withBody(more.answer, JSON.stringify({ ...found, ...changed }))
  }

/** Replaces a successful response. */
export const instead =
  (status: number, type: string, body: string, headers: Answer["headers"] = []): Transform =>
  ({ answer }) =>
    isFine(answer) ? { status, headers: [["content-type", type], ...headers], body } : undefined

/** Delivers a successful response late, or never. */
export const delivered =
  (delivery: NonNullable<Delivered["delivery"]>): Transform =>
  ({ answer }) =>
    isFine(answer) ? { answer, delivery } : undefined

/** Changes the parameters of a successful authorization response, in any response mode. */
export const parameters =
  (change: (found: URLSearchParams, more: Change) => boolean): Transform =>
  (more) =>
    returned((found) => (change(found.parameters, more) ? found : undefined))(more)

/** Changes a successful authorization response. */
export const returned =
  (change: (found: Returned, more: Change) => Returned | undefined): Transform =>
  (more) => {
    const found = returnedBy(more.answer)
    if (found === undefined || found.parameters.has("error")) return undefined
    const { place } = found
    const changed = change(found, more)
    return changed === undefined ? undefined : returning(more.answer, changed, changed.place === place ? place : changed.place)
  }

/** Rewrites a token; undefined if there is nothing to change. */
export type Rewrite = (token: Forged, forge: Forge, change: Change) => string | undefined | Promise<string | undefined>

/** Rewrites the JWT in a member of a token response. */
export const jwtOf =
  (member: string, rewrite: Rewrite): Transform =>
  async (change) => {
    const { answer, forge } = change
    const found = isFine(answer) ? objectOf(answer.body) : undefined
    const token = forge.read(textOf(found?.[member]))
    const jwt = token === undefined ? undefined : await rewrite(token, forge, change)
    return jwt === undefined ? undefined : withBody(answer, JSON.stringify({ ...found, [member]: jwt }))
  }

/** Rewrites the ID token of a token response. */
export const idTokenOf = (rewrite: Rewrite): Transform => jwtOf("id_token", rewrite)

/** Rewrites the ID token of an authorization response. */
export const frontIdToken =
  (rewrite: Rewrite): Transform =>
  async (change) => {
    const found = returnedBy(change.answer)
    const token = change.forge.read(found?.parameters.get("id_token") ?? "")
    const jwt = token === undefined ? undefined : await rewrite(token, change.forge, change)
    if (jwt === undefined || found === undefined) return undefined
    found.parameters.set("id_token", jwt)
    return returning(change.answer, found, found.place)
  }

/** Stores values for the client's next sign-in, and leaves the response unchanged. */
export const keeping = (answer: Answer, keep: Readonly<Record<string, string>>): Outcome => ({ answer, keep, unchanged: true })
