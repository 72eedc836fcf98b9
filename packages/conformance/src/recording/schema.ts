import * as Schema from "effect/Schema"
import { Line } from "./entry.ts"

/** The published JSON Schema (draft 2020-12) of one line of a recording. */
export const recordingJsonSchema = (): object => {
  const { schema, definitions } = Schema.toJsonSchemaDocument(Line, { onExcessProperty: "error" })
  const title = "A line of a recording of postern record"
  return { $schema: "https://json-schema.org/draft/2020-12/schema", title, ...schema, $defs: definitions }
}
