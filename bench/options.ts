import { parseArgs } from "node:util"

/** What the command line asks for. */
export interface Options {
  readonly rounds: number
  readonly seconds: number
  readonly warmup: number
  readonly connections: number
  readonly only: ReadonlyArray<string>
  readonly quick: boolean
  readonly write: boolean
  readonly flame: string | undefined
  /** Numbers of stored tokens that growth is measured at. */
  readonly sizes: ReadonlyArray<number>
}

/**
 * Reads the command line: `--quick --rounds N --seconds N --connections N --only a,b --sizes N,N --write
 * --flame SCENARIO`.
 */
export const options = (args: ReadonlyArray<string>): Options => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: "boolean", default: false },
      write: { type: "boolean", default: false },
      rounds: { type: "string" },
      seconds: { type: "string" },
      connections: { type: "string", default: "16" },
      only: { type: "string", default: "" },
      flame: { type: "string" },
      sizes: { type: "string" },
    },
  })
  const { quick, write, only, flame } = values
  const number = (name: string, text: string): number => {
    const value = Number(text)
    if (!Number.isFinite(value) || value <= 0) throw new Error(`--${name} is not a number above 0: ${text}`)
    return value
  }
  return {
    quick,
    write,
    flame,
    rounds: number("rounds", values.rounds ?? (quick ? "3" : "5")),
    seconds: number("seconds", values.seconds ?? (quick ? "0.4" : "4")),
    warmup: quick ? 0.3 : 6,
    connections: number("connections", values.connections),
    sizes: (values.sizes ?? "10000,1000000").split(",").map((size) => number("sizes", size)),
    only: only.split(",").filter((each) => each !== ""),
  }
}
