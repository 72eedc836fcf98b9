import { promised } from "../action.ts"
import { configOfFolder } from "../config/file.ts"
import { loadSetup } from "../config/load.ts"
import { noConfig } from "../data/place.ts"
import { failed, misused } from "../failure.ts"
import { type NamedClient, clientNamed, clientOfDocument, namedClients } from "../mcp/clients.ts"
import { type Verdict, serverRefusals, verdictOn } from "../mcp/diagnosis.ts"
import { serverOf } from "../mcp/inMemory.ts"
import { hasUserinfo } from "../mcp/reach.ts"
import { foundAt } from "../mcp/remote.ts"
import { remarksOn } from "../mcp/rules.ts"
import type { RefusedBy, Server } from "../mcp/server.ts"
import { printable, say, sayJson, styled } from "../terminal/output.ts"

/** The parameters of `postern mcp doctor`. */
export interface McpDoctorCall {
  readonly target: string
  readonly clients: ReadonlyArray<string>
  readonly resource: string | undefined
  readonly config: string | undefined
  readonly json: boolean
}

/** A diagnosis: the server, the rules that refuse every client, and the verdict for each client. */
interface Diagnosis {
  readonly server: Server
  readonly refusals: ReadonlyArray<RefusedBy>
  readonly verdicts: ReadonlyArray<Verdict>
}

const isUrl = (target: string): boolean => /^https?:\/\//.test(target) && URL.canParse(target)

const named = (name: string): NamedClient => {
  const found = clientNamed(name)
  if (found === undefined) throw misused(`there is no client ${name}`, `use one of: ${namedClients.map((each) => each.name).join(", ")}`)
  return found
}

/** Creates the configured server in memory. */
const ownServer = async ({ config, resource }: McpDoctorCall): Promise<Server> => {
  const file = config ?? configOfFolder()
  if (file === undefined) throw noConfig()
  return serverOf(await loadSetup(file, undefined), resource)
}

const asked = async (call: McpDoctorCall): Promise<{ readonly server: Server; readonly clients: ReadonlyArray<NamedClient> }> => {
  const { target } = call
  // The message omits the URL, because it may contain a password.
  if (hasUserinfo(target)) throw misused("the target carries a user name or a password", "give its URL without them")
  const known = clientNamed(target)
  if (known !== undefined) return { server: await ownServer(call), clients: [known] }
  if (!isUrl(target))
    throw misused(
      `${target} is neither a URL nor a client`,
      `give the URL of a server or of a client's document, or one of: ${namedClients.map((each) => each.name).join(", ")}`,
    )
  const found = await foundAt(target)
  if (found._tag === "Document") return { server: await ownServer(call), clients: [clientOfDocument(target, found.document)] }
  return { server: found.server, clients: call.clients.length === 0 ? namedClients : call.clients.map(named) }
}

const diagnosed = async (call: McpDoctorCall): Promise<Diagnosis> => {
  const { server, clients } = await asked(call)
  const refusals = serverRefusals(server)
  const verdicts: Array<Verdict> = []
  if (refusals.length === 0) for (const client of clients) verdicts.push(await verdictOn(client, server))
  return { server, refusals, verdicts }
}

const shown = ({ server, refusals, verdicts }: Diagnosis): object => ({
  issuer: server.issuer,
  resource: server.identifier ?? null,
  refused: refusals,
  remarks: remarksOn(server),
  clients: verdicts.map(({ client, knownBy, isTried, refused, request }) => ({
    name: client.name,
    known_by: knownBy ?? null,
    tried: isTried,
    refused: refused ?? null,
    request: request ?? null,
  })),
})

const refusalLines = ({ rule, cites, reason }: RefusedBy): ReadonlyArray<string> => [
  `refused by ${styled("bold", rule)} (${cites})`,
  `    ${printable(reason)}`,
]

const lines = ({ server, refusals, verdicts }: Diagnosis): ReadonlyArray<string> => [
  `issuer    ${printable(server.issuer)}`,
  `resource  ${printable(server.identifier ?? "none: clients name no resource")}`,
  ...refusals.flatMap((refused) => {
    const [first = "", ...rest] = refusalLines(refused)
    return [`${styled("red", "✗")} every client is ${first}`, ...rest]
  }),
  ...verdicts.flatMap(({ client, knownBy, isTried, refused, request }) => {
    const title = printable(client.title)
    if (!isTried) return [`${styled("yellow", "?")} ${title}: not tried: it would register`]
    if (refused === undefined)
      return [`${styled("green", "✓")} ${title}: known by ${knownBy === "document" ? "its document" : "registration"}`]
    const [first = "", ...rest] = refusalLines(refused)
    return [`${styled("red", "✗")} ${title}: ${first}`, ...(request === undefined ? [] : [`    request: ${printable(request)}`]), ...rest]
  }),
  ...remarksOn(server).map((remark) => `${styled("yellow", "!")} ${printable(remark)}`),
]

/** Reports which MCP clients a server refuses, and by which rule. Fails with 1 if one is refused. */
export const mcpDoctor = promised(async (call: McpDoctorCall) => {
  const diagnosis = await diagnosed(call)
  if (call.json) sayJson(shown(diagnosis))
  else for (const line of lines(diagnosis)) say(line)
  const refused = diagnosis.verdicts.filter((each) => each.refused !== undefined)
  if (diagnosis.refusals.length > 0) throw failed("no MCP client is accepted")
  if (refused.length > 0)
    throw failed(
      `${refused.length === 1 ? "a client is" : `${refused.length} clients are`} refused: ${refused.map(({ client }) => client.name).join(", ")}`,
    )
})
