import * as Schema from "effect/Schema"
import { described, line, text } from "./described.ts"

/** The schema of a secret in the file: the text itself, or the source to read at startup. */
export const Secret = Schema.Union([
  text(1024),
  Schema.Struct(described({ env: [line(200), "The environment variable that holds it."] })),
  Schema.Struct(described({ file: [line(1024), "The file that holds it; one line break at its end is not part of it."] })),
]).annotate({
  identifier: "Secret",
  description: 'A secret: the text itself, or { "env": "NAME" } or { "file": "PATH" } to read it from there at start.',
  expected: 'a text, or { "env": "NAME" }, or { "file": "PATH" }',
})

/** A secret as written in the file. */
export type Secret = typeof Secret.Type
