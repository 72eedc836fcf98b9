import type { Changes } from "../exchange/exchange.ts"
import { type Finding, characters, first, holds, oneOf, same } from "../oracle/finding.ts"
import { type Level, type Needs, type Requirement, area } from "../requirement/requirement.ts"
import { type Authorized, type Steps, outcome } from "../steps/steps.ts"

/** Requires that the client received one of these errors, with the state of the request, at its own address. */
export const errorSent = (authorized: Authorized, ...codes: ReadonlyArray<string>): Finding =>
  first(
    holds(authorized.leaving !== undefined, `the client got nothing, but ${outcome(authorized)}`),
    oneOf(authorized.params["error"], codes, "the error"),
    same(authorized.params["state"], authorized.asked.find(([name]) => name === "state")?.[1], "the state"),
    holds(authorized.params["code"] === undefined, "a code came with the error"),
    characters(authorized.params),
  )

/** Requires that the browser stayed at the provider, on an error page. */
export const stopped = (authorized: Authorized): Finding =>
  first(
    holds(authorized.leaving === undefined, `the browser was sent on: ${outcome(authorized)}`),
    holds(!authorized.met.includes("sign-in"), "a person was asked to sign in first"),
    holds(authorized.last.status >= 400 && authorized.last.status < 500, `the status is ${authorized.last.status}`),
  )

/** Requires either of the two. */
export const errorOrPage = (authorized: Authorized, ...codes: ReadonlyArray<string>): Finding =>
  authorized.leaving === undefined ? stopped(authorized) : errorSent(authorized, ...codes)

/** Requires that the client received the parameters that it asked for. */
export const answered = (authorized: Authorized, ...names: ReadonlyArray<string>): Finding =>
  first(
    holds(authorized.params["error"] === undefined && authorized.leaving !== undefined, `it was refused: ${outcome(authorized)}`),
    ...names.map((name) => holds(authorized.params[name] !== undefined, `the answer has no ${name}`)),
    same(authorized.params["state"], authorized.asked.find(([name]) => name === "state")?.[1], "the state"),
  )

/** Returns an oracle that requires these parameters. */
export const answersWith =
  (...names: ReadonlyArray<string>) =>
  (authorized: Authorized): Finding =>
    answered(authorized, ...names)

/** Returns an oracle that requires one of these errors at the client. */
export const sendsError =
  (...codes: ReadonlyArray<string>) =>
  (authorized: Authorized): Finding =>
    errorSent(authorized, ...codes)

/** Returns an oracle that requires one of these errors, or an error page. */
export const stopsOrSends =
  (...codes: ReadonlyArray<string>) =>
  (authorized: Authorized): Finding =>
    errorOrPage(authorized, ...codes)

/** Requires that the client received no code. */
export const noCode = ({ params }: Authorized): Finding => holds(params["code"] === undefined, "a code came")

/** Returns an oracle that requires no code. Unless the browser stays at the provider, the client must receive one of these errors. */
export const noCodeBut =
  (...codes: ReadonlyArray<string>) =>
  (authorized: Authorized): Finding =>
    first(
      noCode(authorized),
      authorized.leaving === undefined ? stopped(authorized) : oneOf(authorized.params["error"], codes, "the error"),
    )

/** Requires a code with this state. */
export const codeWith = ({ params }: Authorized, state: unknown): Finding =>
  first(holds(params["code"] !== undefined, "no code came"), same(params["state"], state, "the state"))

const byWeb: Needs = { clients: ["web"], person: true }

/** Defines a requirement of the authorization endpoint. */
export const authorizing = area("authorize", byWeb)

/** Defines a requirement of the response to an authorization request. */
export const asks = (
  id: string,
  paragraph: string,
  title: string,
  changes: Changes | ((t: Steps) => Changes),
  oracle: (authorized: Authorized) => Finding,
  level?: Level,
): Requirement =>
  authorizing(id, paragraph, title, (t) => t.authorize("web", typeof changes === "function" ? changes(t) : changes), oracle, level)

/** Defines an authorization request that must be answered with a code. */
export const accepts = (id: string, paragraph: string, title: string, changes: Changes): Requirement =>
  asks(id, paragraph, title, changes, answersWith("code"))
