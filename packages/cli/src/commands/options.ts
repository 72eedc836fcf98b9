import * as Argument from "effect/cli/Argument"
import * as Flag from "effect/cli/Flag"
import * as Option from "effect/Option"
import { mostWorkers } from "../workerCount.ts"

/** A flag without a value; false if omitted. */
export const toggle = (name: string, description: string) =>
  Flag.Boolean(name).pipe(Flag.withDescription(description), Flag.withDefault(false))

/** A flag with a string value; undefined if omitted. */
export const text = (name: string, metavar: string, description: string) =>
  Flag.String(name).pipe(Flag.withMetavar(metavar), Flag.withDescription(description), Flag.withDefault(undefined))

/** A repeatable flag with a string value. */
export const texts = (name: string, metavar: string, description: string) =>
  Flag.String(name).pipe(Flag.withMetavar(metavar), Flag.withDescription(`${description}; repeatable`), Flag.atLeast(0))

/**
 * A flag with an integer value in a range. Any other value is refused with a message that names the range, because the message of the
 * library's own integer flag is written for programmers.
 */
export const number = (
  name: string,
  metavar: string,
  description: string,
  range: { readonly from: number; readonly to: number },
  expected: string,
) =>
  Flag.String(name).pipe(
    Flag.withMetavar(metavar),
    Flag.withDescription(description),
    Flag.filterMap(
      (stated) => {
        const value = /^-?\d+$/.test(stated) ? Number(stated) : Number.NaN
        return value >= range.from && value <= range.to ? Option.some(value) : Option.none()
      },
      () => expected,
    ),
  )

/** A flag with an integer value; undefined if omitted. */
export const wholeNumber = (name: string, metavar: string, description: string) =>
  number(name, metavar, description, { from: 0, to: Number.MAX_SAFE_INTEGER }, "a whole number from 0 on").pipe(Flag.withDefault(undefined))

/** A flag that limits something, to 1 or more; undefined if omitted, which is no limit. A stated limit must never mean that there is none. */
export const limit = (name: string, metavar: string, description: string, to: number) =>
  number(name, metavar, description, { from: 1, to }, `a whole number from 1 to ${to}`).pipe(Flag.withDefault(undefined))

/** `--json`: machine-readable output. */
export const json = toggle("json", "Print JSON")

/** `--config FILE`. */
export const config = Flag.String("config").pipe(
  Flag.withAlias("c"),
  Flag.withMetavar("FILE"),
  Flag.withDescription("The configuration file (default: postern.jsonc, .json, .yaml or .yml in this folder)"),
  Flag.withDefault(undefined),
)

/** `--data DIR`. */
export const data = Flag.String("data").pipe(
  Flag.withMetavar("DIR"),
  Flag.withDescription("The folder of the database, or its postgres:// URL; overrides the configuration"),
  // An unset shell variable must not select the current folder.
  Flag.filter(
    (folder) => folder !== "",
    () => "a folder",
  ),
  Flag.withDefault(undefined),
)

/** `--port N`. */
export const port = number(
  "port",
  "N",
  "The port to listen on; 0 picks a free one",
  { from: 0, to: 65_535 },
  "a port from 0 to 65535",
).pipe(Flag.withAlias("p"), Flag.withDefault(undefined))

/** `--workers N`. */
export const workers = number(
  "workers",
  "N",
  "Worker processes; 0 is one for each core, at most 8; overrides the configuration",
  { from: 0, to: mostWorkers },
  `a number from 0 to ${mostWorkers}`,
).pipe(Flag.withAlias("w"), Flag.withDefault(undefined))

/** `--strict`: treats warnings as faults. */
export const strict = toggle("strict", "Treat warnings as faults (exit status 1)")

/** `--yes`: skips the questions. */
export const yes = Flag.Boolean("yes").pipe(
  Flag.withAlias("y"),
  Flag.withDescription("Accept every default without asking"),
  Flag.withDefault(false),
)

/** `--force`: replaces existing data. */
export const force = (description: string) => toggle("force", description)

/** An argument. An empty one comes from a shell variable that is not set, and names nothing. */
export const argument = (name: string, description: string) =>
  Argument.String(name).pipe(
    Argument.withDescription(description),
    Argument.filter(
      (text) => text !== "",
      () => "a text that is not empty",
    ),
  )

/** The client id argument. */
export const clientId = argument("client-id", "The client's id")

/** The username argument. */
export const username = argument("username", "The username")
