import { createHash, createHmac } from "node:crypto"
import {
  type ClientMetadata,
  type CommonPorts,
  type JsonObject,
  type Person,
  type ProviderOptions,
  type ProviderPorts,
  type ReportedFault,
  type Trail,
  createProvider,
  defaultLifetimes,
} from "@postern/core"
import { memoryClientStore, memoryTokenStore } from "@postern/core/memory"
import type { AuthenticatorPort, DigestPort, EntropyPort, PagesPort, SignerPort, TokenStorePort } from "@postern/core/ports"
import { registeredClient } from "@postern/core/registered"
import { fakeProviders, upstream } from "../support/upstream.ts"
import { Visitor } from "../support/visitor.ts"
import { type World, beginning, clients as usualClients, issuer, password, resources } from "../support/world.ts"

const sha = (algorithm: string, text: string | Uint8Array): Buffer => createHash(algorithm).update(text).digest()

/** Digests that answer at once, so that what interleaves is decided by the test alone. */
const digest: DigestPort = {
  sha256: (text) => sha("sha256", text).toString("base64url"),
  sha512: (text) => sha("sha512", text).toString("base64url"),
}

/** Bytes that are the same in every run: a failure shrinks and repeats. */
const countedEntropy = (): EntropyPort => {
  let drawn = 0
  return { bytes: (count) => sha("sha512", `draw ${drawn++}`).subarray(0, count) }
}

const written = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url")
const sealOf = (text: string): string => createHmac("sha256", "the signer of quick worlds").update(text).digest("base64url")

/** A signer as cheap as a digest: JWTs of the real form, sealed by an HMAC that only it can make. */
export const quickSigner: SignerPort = {
  sign: ({ alg, typ, claims }) => {
    const text = `${written({ alg, typ, kid: "quick" })}.${written(claims)}`
    return `${text}.${sealOf(text)}`
  },
  verify: (jwt, typ) => {
    const [header = "", payload = "", seal = ""] = jwt.split(".")
    if (sealOf(`${header}.${payload}`) !== seal) return undefined
    const read = (part: string): unknown => JSON.parse(Buffer.from(part, "base64url").toString())
    return (read(header) as { typ: string }).typ === typ ? (read(payload) as JsonObject) : undefined
  },
  decrypt: () => undefined,
  keys: () => [],
  algorithms: () => ["RS256"],
  encryptionAlgorithms: () => [],
}

const pages: PagesPort = { render: (page, context) => JSON.stringify({ ...page, locales: context.locales, requestId: context.requestId }) }

/** Settings of a test's quick world. */
export interface QuickOptions {
  readonly clients?: ReadonlyArray<ClientMetadata>
  readonly tokens?: TokenStorePort
  readonly people?: ReadonlyArray<Person>
  readonly signer?: SignerPort
  /** People who come in from other providers; nobody when not given. */
  readonly admit?: AuthenticatorPort["admit"]
  readonly more?: Partial<ProviderOptions & CommonPorts>
  /** Changes its options and ports, as what records it does. */
  readonly around?: (options: ProviderOptions & ProviderPorts) => ProviderOptions & ProviderPorts
}

/** The people of a quick world, unless it is given others. All share one password. */
export const usualPeople: ReadonlyArray<Person> = ["alice", "bob"].map((username) => ({
  subject: `sub-${username}`,
  username,
  active: true,
  claims: { name: username, email: `${username}@example.com`, phone_number: "+1 555 0100" },
  tenant: null,
}))

/** A world that takes microseconds per request: for thousands of cases where signatures are not what is looked at. */
export const quickWorld = (options: QuickOptions = {}): World => {
  let millis = beginning * 1000
  const metadata = options.clients ?? usualClients
  const clients = new Map(metadata.map((each) => [each.client_id, registeredClient(each, defaultLifetimes)]))
  const secrets = Object.fromEntries(
    metadata.flatMap(({ client_id, client_secret }) => (client_secret === undefined ? [] : [[client_id, client_secret]])),
  )
  const people = new Map((options.people ?? usualPeople).map((each) => [each.subject, each]))
  const authenticator: AuthenticatorPort = {
    find: (subject) => people.get(subject),
    verify: (typed) => {
      const person = [...people.values()].find(({ username }) => username === typed.username)
      if (person === undefined || typed.password.reveal() !== password)
        return { _tag: "Rejected", reason: "unknown person or wrong password" }
      return { _tag: "Verified", person, amr: ["pwd"], acr: undefined }
    },
    admit: options.admit ?? (() => ({ _tag: "Rejected", reason: "nobody comes from elsewhere" })),
  }
  const trails: Array<Trail> = []
  const reports: Array<ReportedFault> = []
  const tokens = options.tokens ?? memoryTokenStore()
  const signer = options.signer ?? quickSigner
  const { around = (same) => same } = options
  const provider = createProvider(
    around({
      issuer,
      resources,
      clients: { ...memoryClientStore([...clients.values()], secrets), find: (clientId) => clients.get(clientId) },
      tokens,
      signer,
      authenticator,
      pages,
      digest,
      entropy: countedEntropy(),
      trails: { record: (trail) => trails.push(trail()) },
      report: (fault) => reports.push(fault),
      clock: () => millis,
      upstream,
      identityProviders: fakeProviders(),
      ...options.more,
    }),
  )
  const send: World["send"] = async (message) =>
    provider.handle({ method: "GET", query: "", headers: {}, body: "", address: "192.0.2.1", ...message })
  return {
    provider,
    tokens,
    signer,
    trails,
    reports,
    people,
    clients,
    pass: (seconds) => void (millis += Math.round(seconds * 1000)),
    now: () => Math.floor(millis / 1000),
    visitor: (headers = {}) => new Visitor(send, headers),
    send,
  }
}
