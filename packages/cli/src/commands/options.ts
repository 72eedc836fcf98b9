import * as Argument from "effect/cli/Argument"
import * as Flag from "effect/cli/Flag"
import { mostWorkers } from "../workerCount.ts"

/** A flag without a value; false when left out. */
export const toggle = (name: string, description: string) =>
  Flag.Boolean(name).pipe(Flag.withDescription(description), Flag.withDefault(false))

/** A flag with a text; undefined when left out. */
export const text = (name: string, metavar: string, description: string) =>
  Flag.String(name).pipe(Flag.withMetavar(metavar), Flag.withDescription(description), Flag.withDefault(undefined))

/** A flag with a text that may be given several times. */
export const texts = (name: string, metavar: string, description: string) =>
  Flag.String(name).pipe(Flag.withMetavar(metavar), Flag.withDescription(`${description}; repeatable`), Flag.atLeast(0))

/** A flag with a whole number; undefined when left out. */
export const wholeNumber = (name: string, metavar: string, description: string) =>
  Flag.Int(name).pipe(
    Flag.withMetavar(metavar),
    Flag.withDescription(description),
    Flag.filter(
      (value) => Number.isSafeInteger(value) && value >= 0,
      () => "a whole number from 0 on",
    ),
    Flag.withDefault(undefined),
  )

/** `--json`: output for programs. */
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
  // An unset variable of a shell must not mean this very folder.
  Flag.filter(
    (folder) => folder !== "",
    () => "a folder",
  ),
  Flag.withDefault(undefined),
)

/** `--port N`. */
export const port = Flag.Int("port").pipe(
  Flag.withAlias("p"),
  Flag.withMetavar("N"),
  Flag.withDescription("The port to listen on; 0 picks a free one"),
  Flag.filter(
    (value) => value >= 0 && value <= 65_535,
    () => "a port from 0 to 65535",
  ),
  Flag.withDefault(undefined),
)

/** `--workers N`. */
export const workers = Flag.Int("workers").pipe(
  Flag.withAlias("w"),
  Flag.withMetavar("N"),
  Flag.withDescription("Worker processes; 0 is one for each core, at most 8; overrides the configuration"),
  Flag.filter(
    (value) => value >= 0 && value <= mostWorkers,
    () => `a number from 0 to ${mostWorkers}`,
  ),
  Flag.withDefault(undefined),
)

/** `--strict`: a warning is a fault. */
export const strict = toggle("strict", "Treat warnings as faults (exit status 1)")

/** `--yes`: do not ask. */
export const yes = Flag.Boolean("yes").pipe(
  Flag.withAlias("y"),
  Flag.withDescription("Accept every default without asking"),
  Flag.withDefault(false),
)

/** `--force`: replace what is there. */
export const force = (description: string) => toggle("force", description)

/** A client's id as an argument. */
export const clientId = Argument.String("client-id").pipe(Argument.withDescription("The client's id"))

/** A person's username as an argument. */
export const username = Argument.String("username").pipe(Argument.withDescription("The username"))
