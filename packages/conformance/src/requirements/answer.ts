import type { Changes } from "../exchange/exchange.ts"
import { type Finding, characters, first, holds, oneOf, same } from "../oracle/finding.ts"
import { type Requirement, requirement } from "../requirement/requirement.ts"
import { type Authorized, type Steps, outcome } from "../steps/steps.ts"
import type { RoleName } from "../target/roles.ts"

/** The client got an error of one of these codes, with the state of the request, at its own address. */
export const errorSent = (authorized: Authorized, ...codes: ReadonlyArray<string>): Finding =>
  first(
    holds(authorized.leaving !== undefined, `the client got nothing, but ${outcome(authorized)}`),
    oneOf(authorized.params["error"], codes, "the error"),
    same(authorized.params["state"], authorized.asked.find(([name]) => name === "state")?.[1], "the state"),
    holds(authorized.params["code"] === undefined, "a code came with the error"),
    characters(authorized.params),
  )

/** The browser stayed at the provider, on a page that says that something is wrong. */
export const stopped = (authorized: Authorized): Finding =>
  first(
    holds(authorized.leaving === undefined, `the browser was sent on: ${outcome(authorized)}`),
    holds(!authorized.met.includes("sign-in"), "a person was asked to sign in first"),
    holds(authorized.last.status >= 400 && authorized.last.status < 500, `the status is ${authorized.last.status}`),
  )

/** Either of the two. */
export const errorOrPage = (authorized: Authorized, ...codes: ReadonlyArray<string>): Finding =>
  authorized.leaving === undefined ? stopped(authorized) : errorSent(authorized, ...codes)

/** The client got what it asked for. */
export const answered = (authorized: Authorized, ...names: ReadonlyArray<string>): Finding =>
  first(
    holds(authorized.params["error"] === undefined && authorized.leaving !== undefined, `it was refused: ${outcome(authorized)}`),
    ...names.map((name) => holds(authorized.params[name] !== undefined, `the answer has no ${name}`)),
    same(authorized.params["state"], authorized.asked.find(([name]) => name === "state")?.[1], "the state"),
  )

/** A request to the authorization endpoint, and what must come of it. */
export interface Case {
  readonly id: string
  readonly paragraph: string
  readonly title: string
  readonly role?: RoleName
  readonly level?: Requirement["level"]
  readonly changes: Changes | ((t: Steps) => Changes)
  readonly oracle: (authorized: Authorized) => Finding
  readonly metadata?: Readonly<Record<string, string | boolean | undefined>>
}

/** The requirement that a case states. */
export const plain = ({ id, paragraph, title, role = "web", level = "MUST", changes, oracle, metadata = {} }: Case): Requirement =>
  requirement({
    id: `authorize.${id}`,
    paragraph,
    level,
    title,
    needs: { clients: [role], metadata, person: true },
    steps: (t) => t.authorize(role, typeof changes === "function" ? changes(t) : changes),
    oracle,
  })
