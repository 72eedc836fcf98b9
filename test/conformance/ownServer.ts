import { randomBytes } from "node:crypto"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

/** The person of the tests over HTTP. */
export const person = { username: "alice", password: "correct horse battery staple" }

/** Reads a file of JSON. */
export const readJson = <A>(file: string): A => JSON.parse(readFileSync(file, "utf8")) as A

/** Writes the person and the pages into the file about the clients that `postern conform --prepare` wrote into a folder. */
export const tellingPerson = (cwd: string, pages: string): void => {
  const file = join(cwd, "client-file.json")
  writeFileSync(file, JSON.stringify({ ...readJson<object>(file), person, pages }))
}

/** Has a client of a folder reach another authorization server, and another identity provider reach it by its key; gives the settings of ID-JAGs. */
export const crossing = (cwd: string): object => {
  type Client = Readonly<Record<string, unknown>> & { readonly client_id: string }
  const path = join(cwd, "client-file.json")
  const file = readJson<{ readonly clients: Readonly<Record<string, Client>> }>(path)
  const { crossing: own, signing } = file.clients
  const { d: _d, ...key } = (signing?.["key"] ?? {}) as Readonly<Record<string, unknown>>
  const [id_jag_audience, id_jag_issuer] = ["https://as.conformance.test", "https://idp.conformance.test"]
  const told = { ...own, key: signing?.["key"], id_jag_audience, id_jag_issuer }
  writeFileSync(path, JSON.stringify({ ...file, clients: { ...file.clients, crossing: told } }))
  return {
    authorization_servers: [{ issuer: id_jag_audience, scope: "other.read", clients: { [own?.client_id ?? ""]: { client_id: "there" } } }],
    identity_providers: [{ issuer: id_jag_issuer, jwks: { keys: [key] } }],
  }
}

/** The members by which clients say where they take messages, by role. */
const takes: Readonly<Record<string, string>> = {
  web: "backchannel_logout_uri",
  other: "backchannel_logout_uri",
  ping: "backchannel_client_notification_endpoint",
  push: "backchannel_client_notification_endpoint",
}

/** Has clients of a folder take logout tokens, and results of CIBA requests, at a port of this machine. */
export const takingMessages = (cwd: string, port: number): void => {
  type Clients = ReadonlyArray<Readonly<Record<string, unknown>>>
  const of = (role: string): object => (takes[role] === undefined ? {} : { [takes[role]]: `http://127.0.0.1:${port}/${role}` })
  const { clients } = readJson<{ readonly clients: Clients }>(join(cwd, "clients.json"))
  const told = clients.map((each) => ({ ...each, ...of(String(each["client_id"]).replace("conformance-", "")) }))
  writeFileSync(join(cwd, "clients.json"), JSON.stringify({ clients: told }))
  const file = readJson<{ readonly clients: Readonly<Record<string, object>> }>(join(cwd, "client-file.json"))
  const known = Object.fromEntries(Object.entries(file.clients).map(([role, client]) => [role, { ...client, ...of(role) }]))
  writeFileSync(join(cwd, "client-file.json"), JSON.stringify({ ...file, clients: known }))
}

/** Leaves the clients of other roles out of a folder. */
export const keeping = (cwd: string, isKept: (role: string) => boolean): void => {
  const { clients } = readJson<{ readonly clients: ReadonlyArray<{ readonly client_id: string }> }>(join(cwd, "clients.json"))
  const kept = clients.filter(({ client_id }) => isKept(client_id.replace("conformance-", "")))
  writeFileSync(join(cwd, "clients.json"), JSON.stringify({ clients: kept }))
  const file = readJson<{ readonly clients: Readonly<Record<string, object>> }>(join(cwd, "client-file.json"))
  const known = Object.fromEntries(Object.entries(file.clients).filter(([role]) => isKept(role)))
  writeFileSync(join(cwd, "client-file.json"), JSON.stringify({ ...file, clients: known }))
}

/** The configuration that docs/testing.md gives a provider of ours for all clients. */
const documented = (): object => {
  const page = readFileSync(fileURLToPath(new URL("../../docs/testing.md", import.meta.url)), "utf8")
  const block = [...page.matchAll(/```json\n(.*?)```/gs)].map(([, text = ""]) => text).find((text) => text.includes("metadata_documents"))
  return JSON.parse(block ?? "{}") as object
}

const secret = (): string => randomBytes(32).toString("base64")

/** The configuration of a server of ours at an issuer for the clients of a folder, with more settings. */
export const configurationAt = (issuer: string, more: object = {}): object => ({
  ...documented(),
  issuer,
  development: true,
  listen: { port: Number(new URL(issuer).port) },
  registration: { open: true },
  pairwise_salt: secret(),
  key_encryption_key: secret(),
  users: [
    {
      ...person,
      claims: {
        name: "Alice Ant",
        email: "alice@example.com",
        email_verified: true,
        phone_number: "+43 1 5550100",
        address: { locality: "Vienna" },
      },
    },
  ],
  ...more,
})
