import * as core from "@postern/core"
import * as features from "@postern/core/features"
import * as grants from "@postern/core/grants"
import * as jose from "@postern/core/jose"
import * as maintain from "@postern/core/maintain"
import * as memory from "@postern/core/memory"
import * as model from "@postern/core/model"
import * as outbox from "@postern/core/outbox"
import * as ports from "@postern/core/ports"
import * as provider from "@postern/core/provider"
import * as wire from "@postern/core/wire"
import * as cloudflare from "@postern/adapter-cloudflare"
import * as http from "@postern/adapter-http"
import * as node from "@postern/adapter-http/node"
import * as pages from "@postern/adapter-http/pages"
import * as upstream from "@postern/adapter-http/upstream"
import * as kysely from "@postern/adapter-kysely"
import * as postgres from "@postern/adapter-postgres"
import * as redis from "@postern/adapter-redis"
import * as sqlite from "@postern/adapter-sqlite"
import * as misbehave from "@postern/conformance/misbehave"
import * as ldap from "@postern/people-ldap"
import * as stores from "@postern/stores"
import * as verify from "@postern/verify"
import * as express from "@postern/verify/express"
import * as hono from "@postern/verify/hono"
import * as Effect from "effect/Effect"
import { expect, test } from "vitest"
import { entryPoints } from "./list.ts"

/** The entries that have parts of features and of stores, which the root has too. */
const building: Readonly<Record<string, object>> = {
  "core/features": features,
  "core/model": model,
  "core/outbox": outbox,
  "core/ports": ports,
  "core/provider": provider,
  "core/wire": wire,
}

/** The entries whose functions embedders call with what they wrote themselves. */
const modules: Readonly<Record<string, object>> = {
  core: Object.fromEntries(
    Object.entries(core).filter(([name]) => [model, ports, wire, features].every((each) => !Object.hasOwn(each, name))),
  ),
  "core/grants": grants,
  "core/jose": jose,
  "core/maintain": maintain,
  "core/memory": memory,
  "adapter-cloudflare": cloudflare,
  "adapter-http": http,
  "adapter-http/node": node,
  "adapter-http/pages": pages,
  "adapter-http/upstream": upstream,
  "adapter-kysely": kysely,
  "adapter-postgres": postgres,
  "adapter-redis": redis,
  "adapter-sqlite": sqlite,
  "conformance/misbehave": misbehave,
  "people-ldap": ldap,
  stores,
  verify,
  "verify/express": express,
  "verify/hono": hono,
}

/** Functions without options of an embedder's: parts that the stores and tools of this repository are made of, and questions about one value. */
const shared = "auditLimits deadline generateClientSecret isPasswordHash isWeakSecret secretBits"
const parts: Readonly<Record<string, string>> = {
  // `defineClient`, `defineGrant` and `extensionGrant` have errors of their own, with tests of their own.
  core: `defineClient defineGrant extensionGrant
    compose compositionFaults clientFieldsOf clientMetadataSchema registering ruleTablesOf settingsFrom sessionManagement upstreamLogout consoleReport
    detailTypeFaults registrationFaults registrationPolicyFaults resourceFaults sectorDocumentFault slidesBeyondEnd
    closest mayHave profileNamed statedClaims toldLogout
    cleanClient revokeInitialAccessToken saveInitialAccessToken unregisterClient`,
  "core/jose": "activeKey dueKeys isSealed joseVerify keyEncryption privateKeyOf publicKeyOf publishedKeys readClaims removableKeys ringOf",
  "core/memory": "applyCommand eachLimited memoryRequestCounts memoryRows mergedRequests",
  // A server fails as an Effect, with the same error as its cause: the test below.
  "adapter-http":
    "cleanTeardown isLoopbackAddress isPublicAddress lastingMetrics logLayer newTicketSecret pinned providerServer readingsText runUntilStopped serveProvider shareOfLimits sumMetrics ticketSecretAt",
  "adapter-http/pages": "foundationStyles",
  "adapter-kysely": shared,
  "adapter-postgres": `${shared} isPostgresUrl postgresAudit postgresAuthenticator postgresClientStore postgresRequestCounts postgresSigningKeyStore postgresTokenStore postgresTrails shownUrl urlFault`,
  "adapter-sqlite": `${shared} databaseExists examine integrityOf isWriteLocked kindOf newestMoment outboxCounts overdueRows sqliteAudit sqliteAuthenticator sqliteClientStore sqliteSigningKeyStore sqliteTokenStore sqliteTrails unwritable`,
  "conformance/misbehave": "isPreset isRight misbehaviorOf observed scriptOf",
  stores: shared,
  verify: "explain",
  "verify/express": "tokenOf",
  "verify/hono": "tokenOf",
}

test("every function of these entries is tried with what it cannot use, or is a part that takes none of an embedder's options", () => {
  const tried = new Set<unknown>(entryPoints.map(({ run }) => run))
  const untried = Object.entries(modules).flatMap(([entry, module]) =>
    Object.entries(module).flatMap(([name, value]) => {
      const isClass = typeof value === "function" && /^class\b/.test(String(value))
      return typeof value !== "function" || isClass || tried.has(value) || parts[entry]?.split(/\s+/).includes(name)
        ? []
        : [`${entry} ${name}`]
    }),
  )
  expect(untried).toEqual([])
})

test("no entry has the kinds of members by which its functions look at their options", () => {
  const kind = /^(?:text|number|boolean|function|list|texts|functions|objects|object|table|own)\??$/
  const isOfKinds = (value: unknown): boolean =>
    typeof value === "object" &&
    value !== null &&
    Object.keys(value).length > 0 &&
    Object.values(value).every((each) => typeof each === "string" && kind.test(each))
  const leaked = Object.entries({ ...modules, ...building }).flatMap(([entry, module]) =>
    Object.entries(module).flatMap(([name, value]) => (isOfKinds(value) ? [`${entry} ${name}`] : [])),
  )
  expect(leaked).toEqual([])
})

test("a server is refused with every fault of its options as the cause (toNodeHandler and liquidPages are its kin)", async () => {
  const refused = (options: unknown) =>
    Effect.runPromise(Effect.scoped(http.serveProvider(options as http.ServeOptions))).catch((error: unknown) =>
      String((error as Error).cause),
    )
  expect(await refused(undefined)).toBe("TypeError: serveProvider: options: is missing, and must be an object with provider, pages, listen")
  expect(await refused({ provider: {}, pages: {}, listen: { port: 0 }, limit: {} })).toBe(
    "TypeError: serveProvider: limit: is no member of it; did you mean limits?",
  )
  expect(await refused({ provider: {}, pages: { render: () => "" }, listen: { ports: 1 } })).toContain(
    "- listen.ports: is no member of it; did you mean port?",
  )
})
