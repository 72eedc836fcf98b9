import { createHash } from "node:crypto"
import { nodeDigest } from "@postern/adapter-http/node"
import {
  type Answer,
  type Awaitable,
  type CommitResult,
  type Json,
  type InteractionAnswer,
  type JsonObject,
  type Message,
  OutwardRefused,
  type Provider,
  type ProviderOptions,
  type ProviderPorts,
  type PublicJwk,
  type Trail,
  createProvider,
  defaultFeatures,
  secretOf,
} from "@postern/core"
import { type ReadName, type RequestRecord, type TokenStorePort, eachRead } from "@postern/core/ports"
import type { Call, Decided, Entry } from "./entry.ts"
import { NotRecorded, Recorded, SettingsRefused } from "./errors.ts"
import { plain, revived } from "./value.ts"

/** Texts that replace the provider's own secrets, the same in every recording. */
export const ownSecrets = {
  accountKey: "the account key of a recording is no secret of anybody",
  pairwiseSalt: "the pairwise salt of a recording is no secret of anybody",
}

/** The salt that replaces the provider's own. */
export const recordedSalt = secretOf(ownSecrets.pairwiseSalt)

/** Hashes the input of a digest, because the input is often a secret. */
export const textKey = (text: string): string => createHash("sha256").update(text).digest("base64url").slice(0, 22)

const keyOf = (op: string, args: ReadonlyArray<Json>): string => `${op} ${JSON.stringify(args)}`

/** Operations whose calls are matched by order only, because their arguments contain new random values. */
const byOrder: ReadonlySet<string> = new Set(["TokenStore.commit", "IdentityProviders.begin", "IdentityProviders.finish", "Jwts.encrypt"])

/** Reads with the same result. The process's earlier requests determine which of them is called. */
const alike: Readonly<Record<string, string>> = { "TokenStore.recentAttempts": "TokenStore.findAttempts" }

/** The arguments of an operation that distinguish its calls. */
export const argsKept = (port: string, operation: string, args: ReadonlyArray<unknown>): ReadonlyArray<Json> => {
  const op = `${port}.${operation}`
  if (byOrder.has(op)) return []
  if (port === "Digest") return [textKey(String(args[0]))]
  if (op === "TokenStore.find" || op === "TokenStore.list") {
    const [kind, ...rest] = args
    const name = typeof kind === "object" && kind !== null && "name" in kind ? String(kind.name) : ""
    return [name, ...rest.map((each) => plain(each) ?? null)]
  }
  // Only the first argument distinguishes the calls. The other arguments are times, headers or limits.
  if (op === "TokenStore.recentAttempts" || op === "Outbound.fetch") return [plain(args[0]) ?? null]
  if (op === "Jwts.verify") return [plain(args[0]) ?? null, textKey(JSON.stringify(args[1])), plain(args[2]) ?? null]
  return args.map((each) => plain(each) ?? null)
}

/** The maximum port calls of one request. */
const mostAsked = 2000

/** Returns the recorded results in order. */
const answers = (calls: ReadonlyArray<Call>, missing: Set<string>) => {
  const waiting = new Map<string, Array<Call>>()
  const put = (key: string, call: Call): void => void waiting.set(key, [...(waiting.get(key) ?? []), call])
  for (const call of calls) put(keyOf(alike[call.op] ?? call.op, call.args), call)
  let asked = 0
  const next = (key: string): Call | undefined => {
    // Rows that no real store returns may make a rule loop forever.
    if (++asked > mostAsked) throw new NotRecorded("more was asked than any request asks")
    const queue = waiting.get(key)
    // The last recorded result is repeated.
    return queue === undefined || queue.length < 2 ? queue?.[0] : queue.shift()
  }
  const given = (call: Call): unknown => {
    if (call.failed?.retryAfter !== undefined) throw new OutwardRefused("nobody was asked when it was recorded", call.failed.retryAfter)
    if (call.failed !== undefined) throw new Recorded(call.failed.uncertain)
    return revived(call.value)
  }
  return {
    /** The recorded result of a call, if there is one. */
    known: (port: string, operation: string, args: ReadonlyArray<unknown>): { readonly value: unknown } | undefined => {
      const op = `${port}.${operation}`
      const call = next(keyOf(alike[op] ?? op, argsKept(port, operation, args)))
      return call === undefined ? undefined : { value: given(call) }
    },
    /** The recorded result of a call. Throws if there is none. */
    ask: <A>(port: string, operation: string, args: ReadonlyArray<unknown>): A => {
      const op = `${port}.${operation}`
      const call = next(keyOf(alike[op] ?? op, argsKept(port, operation, args)))
      if (call !== undefined) return given(call) as A
      missing.add(op)
      throw new NotRecorded(`${op} was not asked this when it was recorded`)
    },
  }
}

/** Returns the recorded random bytes, and then deterministic ones. */
const chanceOf = (recorded: ReadonlyArray<string>): ((count: number) => Uint8Array) => {
  let at = 0
  return (count) => {
    const drawn = Buffer.from(recorded[at] ?? "", "base64url")
    const own = createHash("sha512").update(`chance ${at++}`).digest()
    if (drawn.length === count) return new Uint8Array(drawn)
    return Uint8Array.from({ length: count }, (_, place) => own[place % own.length] ?? 0)
  }
}

const part = (value: JsonObject): string => Buffer.from(JSON.stringify(value)).toString("base64url")

/** A provider's settings, and its configured clients. */
export interface DecidedBy {
  readonly options: ProviderOptions
  /** True if requests are limited. The recording has the limiter's decisions. */
  readonly isLimited: boolean
  /** The client in a configuration: null if it is no longer declared, undefined if the recorded one applies. */
  readonly client?: ((clientId: string) => object | null | undefined) | undefined
}

const made = (options: ProviderOptions & ProviderPorts) => {
  try {
    return createProvider(options)
  } catch (error) {
    throw new SettingsRefused((error instanceof Error ? error.message : String(error)).replace(/^createProvider: /, ""), { cause: error })
  }
}

type Features = NonNullable<ProviderOptions["features"]>
type Grants = NonNullable<ProviderOptions["grants"]>

const noGrants: Grants = []

const unresolved = new WeakMap<Features, WeakMap<Grants, Features>>()

/** Removes client resolvers. A record has the client that they found, and they are not called again for an unknown one. */
const unresolving = (features: Features, grants = noGrants): Features => {
  const beside = unresolved.get(features) ?? new WeakMap<Grants, Features>()
  const made =
    beside.get(grants) ??
    // The frozen list includes the grants, so that it is processed once for all requests that share it.
    Object.freeze([...features, ...grants].map((each) => ("clientResolvers" in each ? { ...each, clientResolvers: () => [] } : each)))
  unresolved.set(features, beside.set(grants, made))
  return made
}

/** The response to a recorded message. A page that reads its interaction receives a state instead, which has no status. */
const answerTo = async (
  provider: Provider,
  message: Message,
  page: Entry["page"],
): Promise<Pick<Answer, "headers" | "body"> & { readonly status: number | undefined }> => {
  if (page === undefined) return provider.handle(message)
  // The rules validate it like any input of an embedder's page.
  if (page.call === "resume") return provider.resume(message, page.answer as unknown as InteractionAnswer)
  return { status: undefined, headers: [], body: JSON.stringify(await provider.interaction(message)) }
}

/** Decides a recorded request from its record alone, always with the same result. Throws {@link SettingsRefused}. */
export const decide = async (
  { at, message, page, chance, calls }: Pick<Entry, "at" | "message" | "page" | "chance" | "calls">,
  { options, isLimited, client = () => undefined }: DecidedBy,
): Promise<Decided> => {
  const missing = new Set<string>()
  const commits: Array<Json> = []
  const { ask, known } = answers(calls, missing)
  const port =
    (name: string) =>
    (operation: string) =>
    <A>(...args: ReadonlyArray<unknown>): A =>
      ask<A>(name, operation, args)
  const [clients, tokens, signer, people, others] = ["ClientStore", "TokenStore", "Signer", "Authenticator", "IdentityProviders"].map(port)
  if (!clients || !tokens || !signer || !people || !others) throw new TypeError("every port is there")
  const digest =
    <Content extends string | Uint8Array>(operation: "sha256" | "sha512", run: (content: Content) => Awaitable<string>) =>
    (content: Content) =>
      (known("Digest", operation, [content])?.value as string | undefined) ?? run(content)
  let trail: Trail | undefined
  const ports: ProviderPorts = {
    clients: {
      find: (id) => {
        const stated = client(id)
        if (stated === null) return undefined
        // The core caches digests by client object. Those of another request were made from that request's stand-ins.
        return (stated === undefined ? ask("ClientStore", "find", [id]) : { ...stated }) as never
      },
      verifySecret: clients("verifySecret"),
      secretOf: clients("secretOf"),
      unsignedRequestObjects: () => (known("ClientStore", "unsignedRequestObjects", [])?.value as boolean | undefined) ?? false,
    },
    tokens: {
      find: tokens("find"),
      list: tokens("list"),
      // Each returns what was recorded of the port's read.
      ...(eachRead(tokens) as Pick<TokenStorePort, ReadName>),
      recentAttempts: tokens("recentAttempts"),
      commit: (commands) => {
        commits.push(plain(commands) ?? null)
        return (known("TokenStore", "commit", [])?.value as CommitResult | undefined) ?? "Committed"
      },
      durable: () => undefined,
    },
    signer: {
      // The keys are not recorded, so a JWT has its real claims and a digest as its signature.
      sign: ({ alg, typ, claims }) => `${part({ alg, typ })}.${part(claims)}.${textKey(JSON.stringify(claims))}`,
      verify: signer("verify"),
      decrypt: signer("decrypt"),
      keys: () => (known("Signer", "keys", [])?.value as ReadonlyArray<PublicJwk> | undefined) ?? [],
      algorithms: signer("algorithms"),
      encryptionAlgorithms: signer("encryptionAlgorithms"),
    },
    authenticator: { verify: people("verify"), find: people("find"), admit: people("admit"), identify: people("identify") },
    identityProviders: { begin: others("begin"), finish: others("finish"), password: others("password") },
    outbound: { fetch: port("Outbound")("fetch") },
    jwts: {
      verify: port("Jwts")("verify"),
      verifySecret: port("Jwts")("verifySecret"),
      encrypt: (text) => {
        const found = known("Jwts", "encrypt", [])
        return found === undefined || found.value !== undefined ? `${part({ alg: "dir" })}..${textKey(text)}..` : undefined
      },
    },
    limiter: isLimited
      ? { take: (of, sender, millis) => (known("Limiter", "take", [of, sender, millis])?.value as number | undefined) ?? 0 }
      : undefined,
    digest: { sha256: digest("sha256", nodeDigest.sha256), sha512: digest("sha512", nodeDigest.sha512) },
    entropy: { bytes: chanceOf(chance) },
    // A page is compared by its content, because its rendering is not a decision.
    pages: { render: (page) => JSON.stringify(page), languages: undefined },
    trails: { record: (told) => void (trail = told()) },
    report: () => undefined,
    clock: () => at,
  }
  const recalled: NonNullable<RequestRecord["recalled"]> = (service, operation, args) => {
    try {
      return { _tag: "Answered", value: ask(service, operation, args) }
    } catch (cause) {
      return { _tag: "Failed", cause }
    }
  }
  const record: RequestRecord = { asked: () => undefined, drew: () => undefined, ended: () => undefined, recalled }
  const provider = made({
    ...options,
    ...ports,
    recorder: { begin: () => record },
    features: unresolving(options.features ?? defaultFeatures, options.grants),
    grants: undefined,
    accountKey: secretOf(ownSecrets.accountKey),
    ...(options.pairwiseSalt === undefined ? {} : { pairwiseSalt: recordedSalt }),
  })
  const { certificate, ...sent } = message
  const asked: Message =
    certificate === undefined
      ? sent
      : { ...sent, peerCertificate: { der: new Uint8Array(Buffer.from(certificate.der, "base64url")), verified: certificate.verified } }
  const answer = await answerTo(provider, asked, page)
  // The trail is recorded before the response is returned.
  const told = trail as Trail | undefined
  const { endpoint, clientId, outcome, steps, fault } = told ?? { endpoint: "none", outcome: "Defect", steps: [] }
  return {
    endpoint,
    ...(clientId === undefined ? {} : { client: clientId }),
    outcome,
    status: answer.status ?? told?.status ?? 500,
    headers: answer.headers.map(([name, value]) => [name, value] as const),
    body: answer.body,
    steps: steps.map(({ table, passed, refused }) => ({ table, passed, ...(refused === undefined ? {} : { refused }) })),
    commits,
    // The rest of a defect is the stack, which belongs to the code, not to the request.
    ...(fault === undefined ? {} : { fault: fault.split("\n", 1)[0] ?? "" }),
    ...(missing.size === 0 ? {} : { missing: [...missing] }),
  }
}
