import { type ClientMetadata, isJsonObject } from "@postern/core/model"
import { readDocument } from "./document.ts"
import { type Fault, type Finding, finding, inOrder, located, type Path } from "./fault.ts"
import { decoded } from "./issues.ts"
import { repeats } from "./rule.ts"
import { clientMetadata } from "./rules/clients.ts"
import { configClient } from "./schema.ts"
import { secretText } from "./secret.ts"
import type { Surroundings } from "./surroundings.ts"

/** The clients of a file, or all its faults. */
export interface ClientFile {
  readonly clients: ReadonlyArray<ClientMetadata>
  readonly faults: ReadonlyArray<Fault>
}

/** Finds the clients in a file, which may contain a list, an object with `clients`, or a single client. */
const itemsOf = (value: unknown): ReadonlyArray<readonly [Path, unknown]> => {
  if (Array.isArray(value)) return value.map((item: unknown, at) => [[at], item])
  const inner = isJsonObject(value) ? value["clients"] : undefined
  return Array.isArray(inner) ? inner.map((item: unknown, at) => [["clients", at], item]) : [[[], value]]
}

/** Reads the clients of a JSON or YAML file. `judge` validates each client that matches the schema. */
export const readClients = async (
  file: string,
  text: string,
  around: Surroundings,
  judge: (client: ClientMetadata) => Promise<ReadonlyArray<Finding>>,
  schema = configClient(),
): Promise<ClientFile> => {
  const document = await readDocument(file, text)
  if (document.faults.length > 0) return { clients: [], faults: inOrder(document.faults) }
  const clients: Array<readonly [Path, ClientMetadata]> = []
  const findings: Array<Finding> = []
  const note = (path: Path, found: ReadonlyArray<Finding>): number =>
    findings.push(...found.map((each) => ({ ...each, path: [...path, ...each.path] })))
  for (const [path, item] of itemsOf(document.value)) {
    const { value, findings: shape } = decoded(schema, item)
    if (value === undefined) {
      note(path, shape)
      continue
    }
    const secret = value.client_secret === undefined ? undefined : secretText(value.client_secret, around)
    if (secret !== undefined && !("text" in secret)) {
      note(path, [finding(["client_secret"], secret.message, secret.hint)])
      continue
    }
    const client = clientMetadata(value, around)
    note(path, await judge(client))
    clients.push([path, client])
  }
  for (const at of repeats(clients, ([, { client_id }]) => client_id)) {
    note(clients[at]?.[0] ?? [], [finding(["client_id"], "is also the client_id of an earlier client", "give each client its own id")])
  }
  return { clients: clients.map(([, client]) => client), faults: inOrder(findings.map((found) => located(found, document.placeOf))) }
}
