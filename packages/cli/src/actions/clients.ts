import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { AlreadyExists, generateClientSecret, type RegisteredClient, type Stores } from "@postern/stores"
import { compose } from "@postern/core"
import { authMethodOf, type ClientMetadata, grantTypesOf, type Json } from "@postern/core/model"
import { type Action, attempt, promised, stoppable, turn, whole } from "../action.ts"
import { readClients } from "../config/clientFile.ts"
import { type Finding, writePath } from "../config/fault.ts"
import { decoded } from "../config/issues.ts"
import { type ClientOption, clientOptions } from "./clientOptions.ts"
import { configClient } from "../config/schema.ts"
import { inShell } from "../config/shell.ts"
import { utf8Of } from "../config/file.ts"
import { surroundingsOf } from "../config/surroundings.ts"
import { clientFindings } from "../data/clientFindings.ts"
import { type DataPlace, dataPlace, type Whereabouts } from "../data/place.ts"
import { sectorFinding } from "../data/sectors.ts"
import { findRegistered, listedAlike, metadataIn, mostListed, registeredIn, removeRegistered } from "../data/registered.ts"
import { completing, interrupted, withStores } from "../data/stores.ts"
import { bytesOf } from "../config/bytes.ts"
import { Failed, failed } from "../failure.ts"
import { writeFault } from "../config/writeFault.ts"
import { secretFromInput } from "../terminal/input.ts"
import { readMember } from "../registration/member.ts"
import { moment, printable, say, sayJson, showOnce, styled, table } from "../terminal/output.ts"

/** The parameters of `postern client add`. */
export interface NewClient extends Whereabouts {
  readonly clientId: string
  /** The values of the options that features declare, by name. A toggle has the value true if it is given. */
  readonly stated: Readonly<Record<string, string | boolean | ReadonlyArray<string> | undefined>>
  readonly metadata: ReadonlyArray<string>
  readonly secretStdin: boolean
  readonly json: boolean
}

/** Returns the field that an option sets, with its value. If two options set the same field, the later one wins. */
const statedBy = ({ name, field, states }: ClientOption, { stated }: NewClient): ReadonlyArray<readonly [string, unknown]> => {
  const value = stated[name]
  if (states !== undefined) return value === true ? [[field, states]] : []
  return value === undefined || (Array.isArray(value) && value.length === 0) ? [] : [[field, value]]
}

/** Generates a secret for a client whose authentication method needs one. */
const secretFor = ({ token_endpoint_auth_method: named }: ClientMetadata, { setup }: DataPlace): string | undefined => {
  const means = compose({ features: setup?.features }).clientAuthentication.find(({ method }) => method === named)
  return means?.secret === undefined ? undefined : generateClientSecret()
}

const metadataOf = (asked: NewClient): ClientMetadata => {
  const stated: Omit<ClientMetadata, "client_id"> = Object.fromEntries(clientOptions.flatMap((option) => statedBy(option, asked)))
  const person = grantTypesOf(stated).includes("authorization_code")
  return {
    client_id: asked.clientId,
    ...stated,
    token_endpoint_auth_method: authMethodOf(stated),
    ...(person ? {} : { response_types: [] }),
  }
}

/**
 * Adds metadata given by name and value. It may be any field that this provider or one of its features knows, and is validated like
 * metadata of the configuration file.
 */
const withMembers = (metadata: ClientMetadata, stated: ReadonlyArray<string>, { setup }: DataPlace): ClientMetadata => {
  const { value, findings } = decoded(configClient(setup?.features), { ...metadata, ...Object.fromEntries(stated.map(readMember)) })
  if (value === undefined) throw notAdded(metadata, findings)
  const { client_secret: _none, ...read } = value
  return read
}

const notAdded = ({ client_id }: ClientMetadata, findings: ReadonlyArray<Finding>) =>
  failed(`client ${client_id} was not added`, undefined, findings.map(writeFinding))

const writeFinding = ({ path, message, hint }: Finding): string =>
  `${styled("bold", printable(writePath(path)))} ${printable(message)}\n    ${styled("dim", printable(hint))}`

/**
 * Adds the findings about the client's sector identifier to those of `clientFindings`. The sector identifier is fetched over the network,
 * only if the client has no other fault.
 */
const judgeOnline = async (client: ClientMetadata, place: DataPlace): Promise<ReadonlyArray<Finding>> => {
  const findings = clientFindings(client, place)
  if (findings.length > 0) return findings
  const found = await sectorFinding(client, place.setup?.development ?? true)
  return found === undefined ? [] : [found]
}

/** Registers a client. A generated secret is shown only once. */
export const addClient: Action<NewClient> = Effect.fnUntraced(function* (asked) {
  const typed = asked.secretStdin ? Redacted.value(yield* secretFromInput("secret")) : undefined
  // Looks at other hosts, so it may be interrupted. From the commit to the output, the command may not.
  const client = yield* attempt(() => judgedClient(asked, typed))
  yield* whole(() => withStores(asked, true, async ({ clients }) => sayAdded(asked, typed, await added(clients, client))))(undefined)
})

/** Returns the client to add, with its secret if it has one. Throws if it has a fault. */
const judgedClient = async (asked: NewClient, typed: string | undefined): Promise<ClientMetadata> => {
  const place = await dataPlace(asked)
  const named = metadataOf(asked)
  const secret = typed ?? secretFor(named, place)
  const open = withMembers(named, asked.metadata, place)
  const client = secret === undefined ? open : { ...open, client_secret: secret }
  const findings = await judgeOnline(client, place)
  if (findings.length > 0) throw notAdded(client, findings)
  return client
}

const added = async (clients: Stores["clients"], client: ClientMetadata): Promise<ClientMetadata> => {
  try {
    await clients.add(client)
    return client
  } catch (error) {
    if (!(error instanceof AlreadyExists)) throw error
    const id = inShell(client.client_id)
    throw failed(
      error.message,
      `to replace it, with a new secret: postern client remove ${id}, and add it again; \`postern client import\` replaces it at once`,
    )
  }
}

const sayAdded = ({ clientId, json }: NewClient, typed: string | undefined, { client_secret: secret, ...client }: ClientMetadata): void => {
  const shown = secret === undefined || typed !== undefined ? undefined : secret
  if (shown !== undefined)
    showOnce({
      made: `client ${clientId} was added, and its secret, which is shown only once, is lost`,
      remedy: `remove it, and add it again: postern client remove ${inShell(clientId)}`,
    })
  if (json) return sayJson(shown === undefined ? client : { ...client, client_secret: shown })
  say(`${styled("green", "✓")} added client ${clientId}`)
  if (shown === undefined) return
  say(`\n  client_secret  ${styled("bold", shown)}\n`)
  say(
    `  It is shown only once; ${client.token_endpoint_auth_method === "client_secret_jwt" ? "it is kept sealed" : "only its hash is kept"}.`,
  )
}

const listed = ({ metadata, origin, hasSecret, createdAt, updatedAt }: RegisteredClient): object => ({
  ...metadata,
  origin,
  has_secret: hasSecret,
  created_at: createdAt,
  updated_at: updatedAt,
})

const kindOf = ({ token_endpoint_auth_method, application_type, grant_types = ["authorization_code"] }: ClientMetadata): string => {
  if (token_endpoint_auth_method === "none") return application_type === "native" ? "public, native" : "public"
  return grant_types.includes("authorization_code") ? "confidential" : "machine"
}

/** Lists every client. */
export const listClients = promised(async ({ json, ...whereabouts }: Whereabouts & { readonly json: boolean }) =>
  withStores(whereabouts, false, async ({ clients, tokens }) => {
    const [all, own] = [await clients.list(), await registeredIn(tokens)]
    if (json) return sayJson([...all.map(listed), ...own.map(listedAlike)])
    if (all.length === 0 && own.length === 0) return say("No clients yet. Add one with: postern client add")
    say(
      table(
        ["CLIENT", "NAME", "KIND", "FROM"],
        [
          ...all.map(({ metadata, origin }) => [
            metadata.client_id,
            printable(metadata.client_name ?? ""),
            kindOf(metadata),
            origin === "config" ? "configuration" : "command line",
          ]),
          ...own
            .map(metadataIn)
            .map((metadata) => [metadata.client_id, printable(metadata.client_name ?? ""), kindOf(metadata), "registered itself"]),
        ],
      ),
    )
    if (own.length === mostListed) say(`Only the latest ${mostListed} clients that registered themselves are listed.`)
  }),
)

/** Shows one client, without its secret. */
export const showClient = promised(
  async ({ clientId, json, ...whereabouts }: Whereabouts & { readonly clientId: string; readonly json: boolean }) =>
    withStores(whereabouts, false, async ({ clients, tokens }) => {
      const found = await clients.show(clientId)
      if (found !== undefined) {
        if (json) return sayJson(listed(found))
        return describe(
          found.metadata,
          keptAs(found),
          found.createdAt,
          found.origin === "config" ? "the configuration" : "the command line",
        )
      }
      const own = await findRegistered(tokens, clientId)
      if (own === undefined) throw noClient(clientId)
      if (json) return sayJson(listedAlike(own))
      describe(metadataIn(own), own.digest === undefined ? "none" : "kept as a hash", own.createdAt, "itself")
    }),
)

const describe = ({ client_id, ...rest }: ClientMetadata, secret: string, createdAt: number, by: string): void => {
  say(styled("bold", client_id))
  const width = Math.max(34, ...Object.keys(rest).map((name) => name.length))
  for (const [name, value] of Object.entries(rest)) say(`  ${name.padEnd(width)} ${printable(shownValue(value))}`)
  say(`  ${"secret".padEnd(width)} ${secret}`)
  say(`  ${"registered".padEnd(width)} ${moment(createdAt)}, by ${by}`)
}

const keptAs = ({ hasSecret, metadata }: RegisteredClient): string => {
  if (!hasSecret) return "none"
  return metadata.token_endpoint_auth_method === "client_secret_jwt" ? "kept sealed" : "kept as a hash"
}

/** Formats a list on one line, an object as JSON, and any other value as a string. */
const shownValue = (value: Json): string => {
  if (Array.isArray(value)) return value.join(" ")
  return typeof value === "object" ? JSON.stringify(value) : String(value)
}

const noClient = (clientId: string) => failed(`there is no client ${clientId}`, "`postern client list` lists all clients")

/** Removes a client. */
export const removeClient = promised(async ({ clientId, ...whereabouts }: Whereabouts & { readonly clientId: string }) =>
  withStores(whereabouts, false, async ({ clients, tokens }) => {
    const found = await clients.show(clientId)
    const isRemoved = found === undefined ? await removeRegistered(tokens, clientId) : await clients.remove(clientId)
    if (!isRemoved) throw noClient(clientId)
    say(`${styled("green", "✓")} removed client ${clientId}`)
    if (found?.origin === "config") say("  The configuration declares it: it comes back at the next start unless you remove it there too.")
  }),
)

/** The parameters of `postern client import`. */
interface Import extends Whereabouts {
  readonly file: string
  readonly json: boolean
}

/** Registers every client of a file, or none if one of them has a fault. */
export const importClients: Action<Import> = Effect.fnUntraced(function* (asked) {
  // Looks at other hosts, so it may be interrupted at any time.
  const clients = yield* attempt(() => clientsOf(asked))
  yield* stoppable((_, signal) => writeClients(clients, asked, signal))(undefined)
})

const clientsOf = async ({ file, ...whereabouts }: Import): Promise<ReadonlyArray<ClientMetadata>> => {
  const place = await dataPlace(whereabouts)
  const judge = (client: ClientMetadata) => judgeOnline(client, place)
  const { clients, faults } = await readClients(file, textOf(file), surroundingsOf(file), judge, configClient(place.setup?.features))
  if (faults.length === 0) return clients
  throw failed(
    `${file} has ${faults.length === 1 ? "a fault" : `${faults.length} faults`}; nothing was imported`,
    undefined,
    faults.map((fault) => writeFault(file, fault)),
  )
}

const writeClients = (clients: ReadonlyArray<ClientMetadata>, { json, ...whereabouts }: Import, signal: AbortSignal): Promise<void> =>
  withStores(whereabouts, true, async (stores) => {
    const added: Array<string> = []
    const replaced: Array<string> = []
    for (const client of clients) {
      const count = added.length + replaced.length
      const done = `${count} of ${clients.length} clients were imported`
      if (signal.aborted) throw interrupted(done)
      const how = await completing(count === 0 ? undefined : done, () => stores.clients.put(client))
      ;(how === "added" ? added : replaced).push(client.client_id)
      await turn()
    }
    if (json) return sayJson({ added, replaced })
    say(`${styled("green", "✓")} ${added.length} added, ${replaced.length} replaced`)
  })

const textOf = (file: string): string => utf8Of(file, givenBytes(file))

const givenBytes = (file: string): Buffer => {
  try {
    return bytesOf(file)
  } catch (error) {
    if (error instanceof Failed) throw error
    throw failed(`${file} cannot be read`, "check that it exists and that this user can read it")
  }
}
