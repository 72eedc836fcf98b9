import { type ScriptLine, ScriptRefused, misbehaviorOf, scriptOf } from "@postern/conformance/misbehave"
import { readDocument } from "../config/document.ts"
import { readConfigText } from "../config/file.ts"
import { writeFault } from "../config/writeFault.ts"
import { failed } from "../failure.ts"

const shownIn = "docs/testing.md shows such a file"

/** Reads a fault script. */
export const readScript = async (file: string): Promise<ReadonlyArray<ScriptLine>> => {
  const { value, faults } = await readDocument(file, readConfigText(file, shownIn))
  const refused = (why: string, lines: ReadonlyArray<string> = []) => failed(`${file} cannot be used${why}`, shownIn, lines)
  if (faults.length > 0)
    throw refused(
      "",
      faults.map((fault) => writeFault(file, fault)),
    )
  try {
    return scriptOf(value, misbehaviorOf)
  } catch (error) {
    throw error instanceof ScriptRefused ? refused(`: ${error.message}`) : error
  }
}
