import { type Changes, type Received, json, textOf } from "../../exchange/exchange.ts"
import { type Finding, holds, shown } from "../../oracle/finding.ts"
import type { Needs } from "../../requirement/requirement.ts"
import type { Browser, Steps, Visit } from "../../steps/steps.ts"
import type { RoleName } from "../../target/roles.ts"
import type { Posted } from "../../target/web.ts"
import { Inconclusive, Untried } from "../../target/target.ts"

/** The grant type of CIBA (CIBA Core §10.1). */
export const grantType = "urn:openid:params:grant-type:ciba"

/** The needs of CIBA requirements. */
export const needsOf = (...clients: ReadonlyArray<RoleName>): Needs => ({
  clients,
  person: true,
  metadata: { backchannel_authentication_endpoint: undefined },
})

/** A CIBA request that the provider accepted. */
export interface Asked {
  readonly received: Received
  /** Its auth_req_id. */
  readonly id: string
  /** The members of the response. */
  readonly answer: Readonly<Record<string, unknown>>
  /** The binding message, by which the person recognizes the request. */
  readonly message: string
  /** The client's bearer token for its notification endpoint. */
  readonly token: string
}

/** Sends a CIBA authentication request with changed parameters. Undefined removes a parameter. */
export const ask = async (t: Steps, changes: Changes = {}, role: RoleName = "poll"): Promise<Received> => {
  const usual = {
    scope: "openid",
    login_hint: t.target.person?.username,
    binding_message: t.random(6),
    ...(role === "ping" || role === "push" ? { client_notification_token: t.random() } : {}),
  }
  const received = await t.post("backchannel_authentication_endpoint", { ...usual, ...changes }, role)
  if (received.status === 429) throw new Untried("the provider asks the person no more for now (status 429)")
  return received
}

/** Sends a CIBA authentication request that must be accepted. */
export const asked = async (t: Steps, role: RoleName = "poll", changes: Changes = {}): Promise<Asked> => {
  const [message, token] = [t.random(6), t.random()]
  const told = role === "ping" || role === "push" ? { client_notification_token: token } : {}
  return askedBy(await ask(t, { binding_message: message, ...told, ...changes }, role), message, token)
}

/** Parses the response to a request that must be accepted. */
export const askedBy = (received: Received, message: string, token = ""): Asked => {
  const answer = json(received) ?? {}
  const id = textOf(answer["auth_req_id"])
  if (received.status !== 200 || id === "")
    throw new Inconclusive(`the person was not asked: status ${received.status}, error ${shown(answer["error"])}`, received)
  return { received, id, answer, message, token }
}

/** Polls for the result of a request. */
export const poll = (t: Steps, id: string | undefined, role: RoleName = "poll"): Promise<Received> =>
  t.token({ grant_type: grantType, auth_req_id: id }, role)

/** A person's decision. */
type Choice = "go on" | "refuse" | "forge"

/** The maximum pages on which a person looks for the announced request. */
const mostPages = 25

/** Decides a request as its person. Other pending requests on the way are refused. */
export const answer = async (t: Steps, { message }: Asked, choice: Choice = "go on", browser: Browser = t.browser()): Promise<Visit> => {
  const { recipe, issuer, hand } = t.target
  if (recipe.approvals === undefined || hand !== undefined)
    throw new Untried("no recipe tells where people answer what clients ask of them")
  const sent = { method: "GET", url: `${issuer.replace(/\/$/, "")}${recipe.approvals}`, headers: {} } as const
  const asks = ({ page }: Visit): boolean => recipe.pages.some(({ kind, when }) => kind === "consent" && page?.has(when) === true)
  // A provider may leave the person elsewhere after the sign-in, so the page is opened again.
  const first = await browser.visit(sent, { consent: "stop" })
  let visit = asks(first) ? first : await browser.visit(sent, { consent: "stop" })
  for (let page = 0; page < mostPages && asks(visit); page++) {
    if (visit.last.body.includes(message)) return browser.visit(sent, { consent: choice })
    await browser.visit(sent, { consent: "refuse" })
    visit = await browser.visit(sent, { consent: "stop" })
  }
  throw new Inconclusive("the person finds no request with the binding message that was sent", visit.last)
}

/** Sends a request and lets its person decide it. */
export const answeredRequest = async (t: Steps, choice?: Choice, role: RoleName = "poll", changes: Changes = {}): Promise<Asked> => {
  const request = await asked(t, role, changes)
  await answer(t, request, choice)
  return request
}

/** Sends a request, lets its person decide it, and returns the notices that the client received about it (see `Steps.notices`). */
export const noticed = async (t: Steps, role: RoleName, choice?: Choice) => {
  const before = (await t.notices(role, 0)).length
  const request = await answeredRequest(t, choice, role)
  return { request, notices: (await t.notices(role, before + 1)).slice(before) }
}

/** Requires a notice to be authorized by the token that the client sent with its request (CIBA Core §10.2, §10.3). */
export const byOwnToken = ({ token }: Asked, notice: Posted | undefined): Finding =>
  holds(notice?.authorization === `Bearer ${token}`, "it is not authorized by the client's own token")

/** Lets the person allow a request, and polls for its result. */
export const allowed = async (t: Steps, role: RoleName = "poll", changes: Changes = {}) => {
  const request = await answeredRequest(t, "go on", role, changes)
  return { request, received: await poll(t, request.id, role) }
}
