import { type Misbehavior, type Stage, stages } from "./misbehavior.ts"

/** One line of a script. It assigns a fault to the nth response of a kind. */
export interface ScriptLine {
  /** The response to change. */
  readonly on: Stage
  /** Its number, counted per client from 1. */
  readonly nth: number
  /** The id of the fault, which must apply to that response. */
  readonly fault: string
  /** The client; every client by default. */
  readonly client?: string | undefined
}

/** The maximum lines of a script. */
export const longestScript = 100

/** The maximum response number in a script. */
export const highestNth = 1000

/** A script is invalid. The message states the reason. */
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

/** Parses a script: a list of lines as described by `schema/script.schema.json` of this package. Throws `ScriptRefused`. */
export const scriptOf = (value: unknown, find: (id: string) => Misbehavior | undefined): ReadonlyArray<ScriptLine> => {
  if (!Array.isArray(value)) throw new ScriptRefused("a script is a list of lines")
  if (value.length > longestScript) throw new ScriptRefused(`a script has ${longestScript} lines at most`)
  return value.map((line, index) => lineOf(line, index, find))
}

/** Counts responses, and returns the id of the script's fault for each. */
export const openScript = (script: ReadonlyArray<ScriptLine>): ((on: Stage, client: string) => string | undefined) => {
  const counts = new Map<string, number>()
  return (on, client) => {
    const key = `${on}\n${client}`
    const nth = (counts.get(key) ?? 0) + 1
    counts.set(key, nth)
    return script.find((line) => line.on === on && line.nth === nth && (line.client ?? client) === client)?.fault
  }
}
