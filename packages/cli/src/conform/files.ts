import { ClientFile, ExpectedFailures, type Known, knownFrom } from "@postern/conformance"
import type { TriedClient } from "@postern/conformance/misbehave"
import type * as Schema from "effect/Schema"
import { readClients } from "../config/clientFile.ts"
import { readDocument } from "../config/document.ts"
import { inOrder, located } from "../config/fault.ts"
import { readConfigText } from "../config/file.ts"
import { decoded } from "../config/issues.ts"
import { surroundingsOf } from "../config/surroundings.ts"
import { writeFault } from "../config/writeFault.ts"
import { failed } from "../failure.ts"

const shownIn = "docs/testing.md shows such a file"

/** Reads a JSON or YAML file with a schema. Throws a failure that lists every fault with its line. */
const readFileOf = async <A>(file: string, schema: Schema.ConstraintDecoder<A>): Promise<A> => {
  const document = await readDocument(file, readConfigText(file, shownIn))
  const { value, findings = [] } = document.faults.length > 0 ? { value: undefined } : decoded(schema, document.value)
  if (value !== undefined) return value
  const faults = inOrder([...document.faults, ...findings.map((found) => located(found, document.placeOf))])
  throw failed(
    `${file} cannot be used`,
    shownIn,
    faults.map((fault) => writeFault(file, fault)),
  )
}

/** Reads the file that describes a provider under test. */
export const readClientFile = async (file: string): Promise<Known> => knownFrom(await readFileOf(file, ClientFile))

/** Reads the file of expected failures. */
export const readExpected = (file: string): Promise<ExpectedFailures> => readFileOf(file, ExpectedFailures)

/** Reads the clients used to test a misbehaving provider, in the format of `postern client import`. */
export const readTriedClients = async (file: string): Promise<ReadonlyArray<TriedClient>> => {
  const { clients, faults } = await readClients(file, readConfigText(file, shownIn), surroundingsOf(file), () => Promise.resolve([]))
  if (faults.length > 0)
    throw failed(
      `${file} cannot be used`,
      shownIn,
      faults.map((fault) => writeFault(file, fault)),
    )
  return clients
}
