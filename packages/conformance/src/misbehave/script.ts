import { type Misbehavior, type Stage, stages } from "./misbehavior.ts"

/** One line of a script: the nth answer of a kind gets a fault. */
export interface ScriptLine {
  /** The answer that is changed. */
  readonly on: Stage
  /** The number of it, from 1 on, counted for each client alone. */
  readonly nth: number
  /** The id of the fault, which must be one of that answer. */
  readonly fault: string
  /** The client; every one when not given. */
  readonly client?: string | undefined
}

/** The most lines of a script. */
export const longestScript = 100

/** The highest number of an answer in a script. */
export const highestNth = 1000

/** A script is not one: the message says why. */
export class ScriptRefused extends Error {
  override readonly name = "ScriptRefused"
}

const isStage = (name: unknown): name is Stage => stages.some((each) => each === name)

const lineOf = (value: unknown, index: number, find: (id: string) => Misbehavior | undefined): ScriptLine => {
  const refused = (why: string): ScriptRefused => new ScriptRefused(`line ${index + 1} of the script ${why}`)
  if (typeof value !== "object" || value === null) throw refused("is no object")
  const { on, nth, fault, client, ...others } = value as Readonly<Record<string, unknown>>
  const [other] = Object.keys(others)
  if (other !== undefined) throw refused(`has a member "${other}", which means nothing`)
  if (!isStage(on) || on === "logout") throw refused(`needs "on": one of ${stages.filter((each) => each !== "logout").join(", ")}`)
  if (typeof nth !== "number" || !Number.isInteger(nth) || nth < 1 || nth > highestNth)
    throw refused(`needs "nth": a whole number from 1 to ${highestNth}`)
  const found = typeof fault === "string" ? find(fault) : undefined
  if (found === undefined) throw refused(`needs "fault": the id of one (\`postern misbehave --list\`)`)
  if (found.transform[on] === undefined)
    throw refused(`has the fault ${found.id}, which is of ${Object.keys(found.transform).join(", ")}, not of ${on}`)
  if (client !== undefined && typeof client !== "string") throw refused(`has a "client" that is no text`)
  return { on, nth, fault: found.id, client }
}

/** Reads a script: a list of lines, as `schema/script.schema.json` of this package describes it. Throws `ScriptRefused`. */
export const scriptOf = (value: unknown, find: (id: string) => Misbehavior | undefined): ReadonlyArray<ScriptLine> => {
  if (!Array.isArray(value)) throw new ScriptRefused("a script is a list of lines")
  if (value.length > longestScript) throw new ScriptRefused(`a script has ${longestScript} lines at most`)
  return value.map((line, index) => lineOf(line, index, find))
}

/** Counts answers, and answers with the id of the fault that a script has for this one. */
export const openScript = (script: ReadonlyArray<ScriptLine>): ((on: Stage, client: string) => string | undefined) => {
  const counts = new Map<string, number>()
  return (on, client) => {
    const key = `${on}\n${client}`
    const nth = (counts.get(key) ?? 0) + 1
    counts.set(key, nth)
    return script.find((line) => line.on === on && line.nth === nth && (line.client ?? client) === client)?.fault
  }
}
