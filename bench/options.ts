import { argumentsOf, misuse } from "../scripts/usage.ts"

/** Options of the command line. */
export interface Options {
  readonly rounds: number
  readonly seconds: number
  readonly warmup: number
  readonly connections: number
  readonly only: ReadonlyArray<string>
  readonly quick: boolean
  readonly write: boolean
  readonly flame: string | undefined
  readonly profileMachine: boolean
  /** Numbers of stored tokens that growth is measured at. */
  readonly sizes: ReadonlyArray<number>
}

/** Ends the process with a word on what is wrong with the call. */
export const misused = (fault: string): never => misuse(text, fault)

const text = `usage: npm run bench -- [--quick] [--write] [--only PART,PART] [--rounds N] [--seconds N] [--connections N] [--sizes N,N]
       npm run bench -- --flame SCENARIO
       npm run bench -- --profile-machine [--write]

  --quick        short rounds, to see that everything runs
  --write        keep the results, and write docs/performance.md from them
  --only         scenarios and parts to measure; everything when not given
  --rounds       rounds of each measurement; 5 when not given
  --seconds      seconds of each round; 2 when not given
  --connections  connections at once; 16 when not given
  --sizes        numbers of stored tokens that growth is measured at
  --flame        draw where the time of a scenario goes
  --profile-machine  what signatures, hashes, syncs and sockets cost on this machine, so that ratios can be judged`

/** Reads the command line. */
export const options = (args: ReadonlyArray<string>): Options => {
  const { values } = argumentsOf({
    text,
    args,
    options: {
      quick: { type: "boolean", default: false },
      write: { type: "boolean", default: false },
      rounds: { type: "string" },
      seconds: { type: "string" },
      connections: { type: "string", default: "16" },
      only: { type: "string", default: "" },
      flame: { type: "string" },
      "profile-machine": { type: "boolean", default: false },
      sizes: { type: "string" },
    },
  })
  const { quick, write, only, flame } = values
  const number = (name: string, text: string): number => {
    const value = Number(text)
    return Number.isFinite(value) && value > 0 ? value : misused(`--${name} is not a number above 0: ${text}`)
  }
  return {
    quick,
    write,
    flame,
    profileMachine: values["profile-machine"],
    rounds: number("rounds", values.rounds ?? (quick ? "3" : "5")),
    seconds: number("seconds", values.seconds ?? (quick ? "0.4" : "2")),
    warmup: quick ? 0.3 : 4,
    connections: number("connections", values.connections),
    sizes: (values.sizes ?? "10000,1000000").split(",").map((size) => number("sizes", size)),
    only: only.split(",").filter((each) => each !== ""),
  }
}
