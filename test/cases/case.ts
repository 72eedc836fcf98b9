import { strict as assert } from "node:assert"
import type { Said } from "../support/visitor.ts"
import { type World, type WorldOptions, issuer, world } from "../support/world.ts"

/** Members that an answer must have; those not named are not looked at. */
export interface Expectation {
  readonly status: number
  readonly to?: string | undefined
  readonly params?: Readonly<Record<string, string>>
  readonly json?: Readonly<Record<string, unknown>>
  readonly page?: Readonly<Record<string, unknown>>
  /** Headers by name; undefined for one that the answer must not have. */
  readonly headers?: Readonly<Record<string, string | undefined>>
}

/** One rule shown at work: what is done in a fresh world, and what it must come to. */
export interface Case {
  /** The rule and its paragraph. */
  readonly title: string
  /** The rule that must refuse; undefined when nothing may. */
  readonly rule: string | undefined
  readonly options?: WorldOptions
  readonly run: (w: World) => Promise<Said>
  readonly expect: Expectation
}

/** Runs a case, and fails unless the answer says what it must. */
export const check = async ({ run, expect, options }: Case, more: WorldOptions = {}): Promise<World> => {
  const w = await world({ ...options, ...more })
  const answer = await run(w)
  const { headers, ...rest } = expect
  // A case that is refused must be refused in just these words.
  assert.partialDeepStrictEqual({ ...answer }, rest)
  if (expect.json !== undefined && "error_description" in expect.json) assert.deepEqual(answer.json, expect.json)
  for (const [name, value] of Object.entries(headers ?? {})) assert.equal(answer.header(name), value, name)
  return w
}

/** The rule that refused last in a world. */
export const lastRefusal = (w: World): string | undefined => w.trails.at(-1)?.steps.at(-1)?.refused?.rule

/** An error for a program. */
export const refused = (error: string, error_description: string, status = 400): Expectation => ({
  status,
  json: { error, error_description },
})

/** An error sent back to the client, with state and issuer. */
export const sentBack = (error: string, error_description: string): Expectation => ({
  status: 303,
  to: "https://app.example/cb",
  params: { error, error_description, state: "st", iss: issuer },
})

/** An error page. */
export const shown = (trouble: string, error?: string, status = 400): Expectation => ({
  status,
  page: { _tag: "Error", trouble, ...(error === undefined ? {} : { error }) },
})

/** A page, by name. */
export const page = (_tag: string, status = 200, more: Readonly<Record<string, unknown>> = {}): Expectation => ({
  status,
  page: { _tag, ...more },
})
