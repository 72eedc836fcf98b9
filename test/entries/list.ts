import {
  ciba,
  type CibaOptions,
  createProvider,
  createProviders,
  deliveriesOf,
  type DeliveryPorts,
  idJag,
  initialAccessToken,
  metadataDocuments,
  type MetadataDocumentOptions,
  registration,
  rowKindsOf,
  type RegistrationOptions,
  signOutEverywhere,
  type SignOutPorts,
} from "@postern/core"
import { jwtBearer, tokenExchange } from "@postern/core/grants"
import {
  type JoseSignerOptions,
  type KeyCare,
  defaultKeyPolicy,
  generateKey,
  joseJwsSigner,
  joseSigner,
  listKeys,
  partitionedKeys,
  rotateKeys,
  tendKeys,
} from "@postern/core/jose"
import { type Maintaining, maintain } from "@postern/core/maintain"
import {
  memoryAuthenticator,
  memoryClientStore,
  memoryLimiter,
  memoryRequestCounts,
  memorySigningKeyStore,
  memoryTokenStore,
  sharedLimiter,
} from "@postern/core/memory"
import { webEntropy } from "@postern/core/webcrypto"
import { defaultLifetimes, rowKinds } from "@postern/core/model"
import { deliveryPolicy } from "@postern/core/outbox"
import { d1Stores, objectStores, storeObject, type StoreObjectOptions } from "@postern/adapter-cloudflare"
import { breaker, callerAddress, jsonLog, logAudit, logTrails, nodeOutbound } from "@postern/adapter-http"
import { type NodeHandlerOptions, nodeInteractions, toNodeHandler } from "@postern/adapter-http/node"
import { liquidPages, pageDesign, type PagesOptions } from "@postern/adapter-http/pages"
import { upstreamProviders } from "@postern/adapter-http/upstream"
import { kyselyStores, type KyselyOptions } from "@postern/adapter-kysely"
import * as postgres from "@postern/adapter-postgres"
import { redisStores } from "@postern/adapter-redis"
import * as sqlite from "@postern/adapter-sqlite"
import { overHttp, run, type RunOptions } from "@postern/conformance"
import { startMisbehaving, startPostern } from "@postern/conformance/misbehave"
import { type LdapOptions, ldapAuthenticator } from "@postern/people-ldap"
import { argon2id, type DeliveringOptions, startDelivering, startExchanging, startSweeping, tableAuthenticator } from "@postern/stores"
import { memoryUses, resourceServer } from "@postern/verify"
import * as express from "@postern/verify/express"
import * as fetching from "@postern/verify/fetch"
import * as hono from "@postern/verify/hono"
import * as node from "@postern/verify/node"

/** A function that embedders call, with arguments that it takes. */
export interface EntryPoint {
  /** The name with which its errors begin. */
  readonly called: string
  // The arguments are wrong on purpose.
  readonly run: (...args: ReadonlyArray<never>) => unknown
  /** Arguments that it takes; those that are objects have every member. */
  readonly args: ReadonlyArray<unknown>
  /** The places of arguments that may be left out. */
  readonly optional?: ReadonlyArray<number>
  /** The places of arguments whose members are all known; ports and other parts may have more. */
  readonly closed?: ReadonlyArray<number>
  /** Members that may be left out; all others have to be there. */
  readonly may?: ReadonlyArray<string>
  /** Members that take values of several kinds, which have tests of their own. */
  readonly several?: ReadonlyArray<string>
}

const nothing = (): undefined => undefined
const now = (): number => 1_800_000_000
const text = "text"
const all = <Options>(options: Required<Options>): Required<Options> => options

const keys = memorySigningKeyStore()
const tokens = { list: () => [], commit: () => "Committed" as const }
const care: KeyCare = {
  store: keys,
  algorithms: ["ES256"],
  policy: defaultKeyPolicy,
  encryption: { seal: async () => "", open: async () => "" },
  now,
}
const signing: JoseSignerOptions = { keys: () => [], now, encryption: undefined, policy: defaultKeyPolicy, readEvery: 10 }
const server = { verify: nothing, metadataFor: nothing, metadata: {}, metadataPath: undefined }
const needs = { scope: "read", acrValues: ["1"], maxAge: 60 }
const hashing = { memoryCost: 8, timeCost: 1, parallelism: 1 }
const stores = {
  lifetimes: defaultLifetimes,
  trails: { policy: "all", most: 1, age: 1 },
  audit: { store: true, age: 1, most: 1 },
  hashing,
  encryption: { seal: nothing, open: nothing },
  kinds: rowKinds,
  workers: 2,
  now,
}
const issuer = { issuer: "https://idp.example", jwksUri: "https://idp.example/jwks" }
const log = { level: "info", line: nothing, flush: nothing }
const port = { record: nothing }

export const entryPoints: ReadonlyArray<EntryPoint> = [
  { called: "joseSigner", run: joseSigner, args: [signing], closed: [0], may: ["encryption", "policy", "readEvery"] },
  { called: "joseJwsSigner", run: joseJwsSigner, args: [signing], closed: [0], may: ["encryption", "policy", "readEvery"] },
  { called: "generateKey", run: generateKey, args: ["ES256", { createdAt: 1, activeAt: 1 }], closed: [1] },
  { called: "tendKeys", run: tendKeys, args: [care], closed: [0], may: ["encryption"] },
  { called: "rotateKeys", run: rotateKeys, args: [care, { atOnce: true }], closed: [0, 1], may: ["encryption"] },
  { called: "listKeys", run: listKeys, args: [care], closed: [0], may: ["encryption"] },
  { called: "partitionedKeys", run: partitionedKeys, args: [keys, { now, readEvery: 2 }], closed: [1], may: ["readEvery"] },
  {
    called: "maintain",
    run: maintain,
    args: [
      all<Maintaining>({
        tokens,
        sweep: () => ({ more: false }),
        handlers: {},
        keys: [care],
        now,
        slices: 1,
        messages: 1,
        portTimeout: 1,
        policy: deliveryPolicy,
      }),
    ],
    closed: [0],
    may: ["sweep", "handlers", "keys", "slices", "messages", "portTimeout", "policy"],
    several: ["keys"],
  },
  {
    called: "initialAccessToken",
    run: initialAccessToken,
    args: [{ name: text, policy: {}, mostUses: 1, expiresAt: 1_800_000_000 }, 1_700_000_000_000],
    closed: [0],
    may: ["policy", "mostUses", "expiresAt"],
  },
  { called: "memoryAuthenticator", run: memoryAuthenticator, args: [[]] },
  { called: "memoryClientStore", run: memoryClientStore, args: [[], {}], optional: [1] },
  { called: "memorySigningKeyStore", run: memorySigningKeyStore, args: [[]], optional: [0] },
  { called: "memoryTokenStore", run: memoryTokenStore, args: [rowKinds], optional: [0] },
  { called: "memoryLimiter", run: memoryLimiter, args: [{ senders: 1, client: 1 }], closed: [0], may: ["senders", "client"] },
  {
    called: "sharedLimiter",
    run: sharedLimiter,
    args: [{ senders: 1, client: 1 }, memoryRequestCounts()],
    closed: [0],
    may: ["senders", "client"],
  },
  { called: "createProvider", run: createProvider, args: [{}], closed: [0] },
  { called: "createProviders", run: createProviders, args: [{}] },
  {
    called: "deliveriesOf",
    run: deliveriesOf,
    args: [
      {},
      {
        issuer: text,
        clients: memoryClientStore([]),
        signer: joseSigner(signing),
        outbound: { fetch: nothing },
        tokens: memoryTokenStore(),
        jwts: {},
        entropy: webEntropy(),
        audit: port,
        rulesOff: [text],
        timer: { start: nothing },
        now,
      } satisfies Partial<Record<keyof DeliveryPorts, unknown>>,
    ],
    optional: [0],
    closed: [1],
    may: ["outbound", "tokens", "jwts", "entropy", "audit", "rulesOff", "timer"],
  },
  {
    called: "signOutEverywhere",
    run: signOutEverywhere,
    args: [
      { issuer: text },
      { clients: memoryClientStore([]), tokens: memoryTokenStore(), clock: () => now() * 1000 } satisfies SignOutPorts,
      text,
    ],
  },
  { called: "rowKindsOf", run: rowKindsOf, args: [{}], optional: [0] },
  {
    called: "ciba",
    run: ciba,
    args: [
      all<CibaOptions>({
        notify: nothing,
        checkUserCode: () => false,
        loginHintTokenIssuers: [issuer],
        lifetime: 300,
        interval: 5,
        mostWaiting: 3,
        mostPrompts: 10,
      }),
    ],
    optional: [0],
    closed: [0],
    may: ["notify", "checkUserCode", "loginHintTokenIssuers", "lifetime", "interval", "mostWaiting", "mostPrompts"],
  },
  {
    called: "registration",
    run: registration,
    args: [
      all<RegistrationOptions>({
        open: true,
        policy: { scope: ["openid"] },
        softwareStatements: [issuer],
        softwareStatementRequired: true,
        unusedLifetime: 3600,
        mostUnused: 1,
        lifetimes: defaultLifetimes,
      }),
    ],
    optional: [0],
    closed: [0],
    may: ["open", "policy", "softwareStatements", "softwareStatementRequired", "unusedLifetime", "mostUnused", "lifetimes"],
  },
  {
    called: "metadataDocuments",
    run: metadataDocuments,
    args: [
      all<MetadataDocumentOptions>({
        policies: [{ hosts: ["*"] }],
        others: {},
        loopbackLocalhost: true,
        mostDocuments: 1,
        staleLifetime: 1,
        lifetimes: defaultLifetimes,
      }),
    ],
    optional: [0],
    closed: [0],
    may: ["policies", "others", "loopbackLocalhost", "mostDocuments", "staleLifetime", "lifetimes"],
  },
  {
    called: "idJag",
    run: idJag,
    args: [{ authorizationServers: [], identityProviders: [] }],
    closed: [0],
    may: ["authorizationServers", "identityProviders"],
  },
  { called: "jwtBearer", run: jwtBearer, args: [{ issuers: [issuer] }], closed: [0] },
  { called: "tokenExchange", run: tokenExchange, args: [{ issuers: [issuer] }], optional: [0], closed: [0], may: ["issuers"] },
  {
    called: "d1Stores",
    run: d1Stores,
    args: [
      { prepare: nothing, batch: nothing },
      { prefix: "p_", kinds: rowKinds, now },
    ],
    optional: [1],
    closed: [1],
    may: ["prefix", "kinds", "now"],
  },
  {
    called: "objectStores",
    run: objectStores,
    args: [nothing, { prefix: "p_", kinds: rowKinds, now }],
    optional: [1],
    closed: [1],
    may: ["prefix", "kinds", "now"],
  },
  {
    called: "storeObject",
    run: storeObject,
    args: [
      { storage: {}, blockConcurrencyWhile: nothing },
      all<StoreObjectOptions>({ prefix: "p_", kinds: rowKinds, now, maintain: async () => ({ more: false }), every: 1 }),
    ],
    optional: [1],
    closed: [1],
    may: ["prefix", "kinds", "now", "maintain", "every"],
  },
  {
    called: "redisStores",
    run: redisStores,
    args: [nothing, { prefix: "p", kinds: rowKinds }],
    optional: [1],
    closed: [1],
    may: ["prefix", "kinds"],
  },
  {
    called: "kyselyStores",
    run: kyselyStores,
    args: [
      { transaction: nothing },
      {
        dialect: "sqlite",
        prefix: "p_",
        kinds: rowKinds,
        lifetimes: defaultLifetimes,
        hashing,
        encryption: {},
        trails: stores.trails,
        audit: stores.audit,
        now,
      } satisfies Record<keyof KyselyOptions, unknown>,
    ],
    closed: [1],
    may: ["prefix", "kinds", "lifetimes", "hashing", "encryption", "trails", "audit", "now"],
  },
  {
    called: "sqliteStores",
    run: sqlite.sqliteStores,
    args: [
      ":memory:",
      { ...stores, synchronous: "FULL", busyTimeout: 1, progress: nothing, steps: [], thread: false, writing: "shared" } satisfies Record<
        keyof sqlite.SqliteOptions,
        unknown
      >,
    ],
    optional: [1],
    closed: [1],
    may: [...Object.keys(stores), "synchronous", "busyTimeout", "progress", "steps", "thread", "writing"],
    several: ["writing"],
  },
  {
    called: "openDatabase",
    run: sqlite.openDatabase,
    args: [":memory:", { synchronous: "FULL", busyTimeout: 1, kinds: rowKinds, progress: nothing, steps: [] }],
    optional: [1],
    closed: [1],
    may: ["synchronous", "busyTimeout", "kinds", "progress", "steps"],
  },
  {
    called: "backUp",
    run: sqlite.backUp,
    args: [text, text, { force: false, progress: nothing, now }],
    optional: [2],
    closed: [2],
    may: ["force", "progress", "now"],
  },
  {
    called: "restore",
    run: sqlite.restore,
    args: [text, text, { force: false, kept: { sessions: false, consents: false }, kinds: rowKinds, also: nothing, now }],
    optional: [2],
    closed: [2],
    may: ["force", "kept", "kinds", "also", "now"],
  },
  {
    called: "postgresStores",
    run: postgres.postgresStores,
    args: [
      "postgres://127.0.0.1/x",
      { ...stores, connections: 1, patience: 1, made: false, unchanged: false, restored: false, steps: [] } satisfies Record<
        keyof postgres.PostgresOptions,
        unknown
      >,
    ],
    optional: [1],
    closed: [1],
    may: [...Object.keys(stores), "connections", "patience", "made", "unchanged", "restored", "steps"],
  },
  {
    called: "openDatabase",
    run: postgres.openDatabase,
    args: [
      "postgres://127.0.0.1/x",
      { connections: 1, patience: 1, made: false, unchanged: false, restored: false, kinds: rowKinds, steps: [] },
    ],
    optional: [1],
    closed: [1],
    may: ["connections", "patience", "made", "unchanged", "restored", "kinds", "steps"],
  },
  {
    called: "invalidateRestored",
    run: postgres.invalidateRestored,
    args: ["postgres://127.0.0.1/x", { force: false, kept: { sessions: false, consents: false }, kinds: rowKinds, also: nothing, now }],
    optional: [1],
    closed: [1],
    may: ["force", "kept", "kinds", "also", "now"],
  },
  {
    called: "ldapAuthenticator",
    run: ldapAuthenticator,
    args: [
      {
        url: "ldaps://x",
        startTls: false,
        tls: {},
        bind: { dn: "cn=x", password: { reveal: () => "" } },
        base: "dc=x",
        filter: "(a=b)",
        username: "uid",
        subject: "uid",
        attributes: ["cn"],
        claims: () => ({}),
        active: () => true,
        timeout: 1,
      } satisfies Record<keyof LdapOptions, unknown>,
    ],
    closed: [0],
    may: ["startTls", "tls", "bind", "filter", "username", "subject", "attributes", "claims", "active", "timeout"],
  },
  { called: "argon2id", run: argon2id, args: [hashing, 1], optional: [0, 1], closed: [0], may: Object.keys(hashing) },
  {
    called: "startDelivering",
    run: startDelivering,
    args: [
      { tokens },
      all<DeliveringOptions>({
        handlers: {},
        destination: () => "",
        together: 1,
        perDestination: 1,
        slow: 1,
        idle: 1,
        policy: deliveryPolicy,
        portTimeout: 1,
        failed: nothing,
        died: nothing,
        now,
      }),
    ],
    closed: [1],
    may: ["destination", "together", "perDestination", "slow", "idle", "policy", "portTimeout", "failed", "died", "now"],
    several: ["handlers"],
  },
  {
    called: "startExchanging",
    run: startExchanging,
    args: [{ exchange: nothing }, { every: 1, retry: 1, failed: nothing, millis: Date.now }],
    optional: [1],
    closed: [1],
    may: ["every", "retry", "failed", "millis"],
  },
  {
    called: "startSweeping",
    run: startSweeping,
    args: [{ sweep: nothing }, { begin: 1, idle: 1, busy: 1, behind: { after: 1, pause: 1 }, limit: 1, failed: nothing }],
    optional: [1],
    closed: [1],
    may: ["begin", "idle", "busy", "behind", "limit", "failed"],
  },
  {
    called: "tableAuthenticator",
    run: tableAuthenticator,
    args: [
      {
        byUsername: nothing,
        bySubject: nothing,
        person: nothing,
        passwordHash: nothing,
        hashing: { verify: nothing, decoy: text },
        admit: nothing,
      },
    ],
    closed: [0],
    may: ["hashing", "admit"],
  },
  {
    called: "toNodeHandler",
    run: toNodeHandler,
    args: [
      { handle: nothing, serves: nothing, report: nothing },
      all<Omit<NodeHandlerOptions, "clientCertificates">>({
        trustedProxies: ["127.0.0.1"],
        certificateProxies: { form: "nginx", from: ["127.0.0.1"] },
        longestBody: 1,
        assets: [],
      }),
    ],
    optional: [1],
    closed: [1],
    may: ["trustedProxies", "certificateProxies", "longestBody", "assets"],
  },
  {
    called: "nodeInteractions",
    run: nodeInteractions,
    args: [{ interaction: nothing, resume: nothing }, { trustedProxies: [] }],
    optional: [1],
    closed: [1],
    may: ["trustedProxies"],
  },
  { called: "callerAddress", run: callerAddress, args: [[]] },
  {
    called: "liquidPages",
    run: liquidPages,
    args: [
      all<PagesOptions>({ name: text, logo: text, colors: {}, templates: text, tenants: {}, locale: "en", pages: [], onFault: nothing }),
    ],
    optional: [0],
    closed: [0],
    may: ["name", "logo", "colors", "templates", "tenants", "locale", "pages", "onFault"],
  },
  {
    called: "pageDesign",
    run: pageDesign,
    args: [
      { name: text, page: nothing, modelOf: nothing },
      { template: text, words: {}, view: nothing, samples: [] },
    ],
    closed: [1],
    may: ["view"],
  },
  {
    called: "nodeOutbound",
    run: nodeOutbound,
    args: [{ loopback: true, ca: text, resolve: nothing, nameServers: [text], timeout: 1, breaker: {}, strangers: {} }],
    optional: [0],
    closed: [0],
    may: ["loopback", "ca", "resolve", "nameServers", "timeout", "breaker", "strangers"],
  },
  {
    called: "breaker",
    run: breaker,
    args: [{ failures: 1, pause: 1, changed: nothing, clock: () => 1 }],
    optional: [0],
    closed: [0],
    may: ["failures", "pause", "changed", "clock"],
  },
  {
    called: "jsonLog",
    run: jsonLog,
    args: [{ level: "info", sink: nothing, clock: Date.now }],
    optional: [0],
    closed: [0],
    may: ["level", "sink", "clock"],
  },
  { called: "logAudit", run: logAudit, args: [{ log, next: port }], closed: [0], may: ["next"] },
  { called: "logTrails", run: logTrails, args: [{ log, next: port }], closed: [0], may: ["next"] },
  {
    called: "upstreamProviders",
    run: upstreamProviders,
    args: [[], { timeout: 1, breaker: {} }],
    optional: [1],
    closed: [1],
    may: ["timeout", "breaker"],
  },
  {
    called: "startPostern",
    run: startPostern,
    args: [
      {
        clients: [{}],
        people: [{ username: text }],
        anyUser: false,
        port: 0,
        host: text,
        issuer: text,
        control: false,
        faults: [],
        misbehave: {},
        limiter: {},
        provider: {},
      },
    ],
    optional: [0],
    closed: [0],
    may: ["clients", "people", "anyUser", "port", "host", "issuer", "control", "faults", "misbehave", "limiter", "provider"],
  },
  {
    called: "startMisbehaving",
    run: startMisbehaving,
    args: [
      {
        port: 0,
        clients: [],
        person: { username: text, password: text },
        crossing: { audiences: [] },
        tls: { cert: text, key: text },
        faults: [text],
        byClient: {},
        seed: 1,
        script: [],
        patience: 1,
      },
    ],
    closed: [0],
    may: ["port", "person", "crossing", "tls", "faults", "byClient", "seed", "script", "patience"],
  },
  {
    called: "overHttp",
    run: overHttp,
    args: [{ issuer: text, clients: {}, person: {}, recipe: {}, rate: 1, timeout: 1 }],
    closed: [0],
    may: ["clients", "person", "recipe", "rate", "timeout"],
  },
  {
    called: "run",
    run,
    args: [
      { name: text, open: nothing, fresh: true },
      [],
      {
        set: text,
        onResult: nothing,
        patience: 1,
        write: false,
        register: false,
        onRegistered: nothing,
        hand: {},
        signal: {},
      } satisfies Record<keyof RunOptions, unknown>,
    ],
    optional: [2],
    closed: [2],
    may: ["set", "onResult", "patience", "write", "register", "onRegistered", "hand", "signal"],
  },
  {
    called: "@postern/verify",
    run: resourceServer,
    args: [
      {
        issuer: "https://a.example",
        resource: "https://b.example",
        audiences: [text],
        scopes: [text],
        algorithms: ["ES256"],
        introspection: { clientId: text },
        metadata: {},
        jwts: {},
        fetch: nothing,
        clock: Date.now,
        noted: nothing,
      },
    ],
    closed: [0],
    may: ["audiences", "scopes", "algorithms", "introspection", "metadata", "jwts", "fetch", "clock", "noted"],
  },
  { called: "memoryUses", run: memoryUses, args: [{ most: 1 }], optional: [0], closed: [0], may: ["most"] },
  {
    called: "@postern/verify",
    run: express.guard,
    args: [server, needs, { certificateProxies: { form: "nginx", from: [] } }],
    optional: [1, 2],
    closed: [1, 2],
    may: ["scope", "acrValues", "maxAge", "certificateProxies"],
    several: ["scope"],
  },
  { called: "@postern/verify", run: express.metadata, args: [server] },
  {
    called: "@postern/verify",
    run: hono.guard,
    args: [server, needs],
    optional: [1],
    closed: [1],
    may: ["scope", "acrValues", "maxAge"],
    several: ["scope"],
  },
  { called: "@postern/verify", run: hono.metadata, args: [server] },
  {
    called: "@postern/verify",
    run: fetching.protect,
    args: [server, needs, nothing],
    closed: [1],
    may: ["scope", "acrValues", "maxAge"],
    several: ["scope"],
  },
  {
    called: "@postern/verify",
    run: node.protect,
    args: [server, needs, nothing, {}],
    optional: [3],
    closed: [1, 3],
    may: ["scope", "acrValues", "maxAge"],
    several: ["scope"],
  },
]
