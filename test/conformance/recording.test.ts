import { execFileSync } from "node:child_process"
import fs, { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs"
import { syncBuiltinESMExports } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { inProcess, requirements, run } from "@postern/conformance"
import {
  type DecidedBy,
  type Entry,
  type Recorder,
  type RecordingLimits,
  RecordingTooSmall,
  RecordingUnreadable,
  RequestUndecided,
  SettingsRefused,
  beginRecording,
  decide,
  differenceOf,
  readRecording,
  readRecordingText,
  recorder,
  recordingJsonSchema,
  replay,
} from "@postern/conformance/recording"
import { type ProviderOptions, type ProviderPorts, defaultFeatures, rowKindsOf } from "@postern/core"
import { memoryTokenStore } from "@postern/core/memory"
import type { HandleKind } from "@postern/core/model"
import { Ajv2020 } from "ajv/dist/2020.js"
import fc from "fast-check"
import { describe, expect, it, onTestFinished } from "vitest"
import { patient } from "../properties/arbitraries.ts"
import { answer, atConsent, atDevice, atSignIn, interactions, ownPages } from "../cases/interactions.ts"
import { type Sent, formType, message, paths } from "../properties/messages.ts"
import { quickWorld } from "../properties/quickWorld.ts"
import { authorize, basic, post, signedIn, verifier } from "../support/flows.ts"
import { register, registers, tokenIn } from "../support/registering.ts"
import { password } from "../support/world.ts"
import { runs, sample } from "../tiers/tier.ts"

interface Noted {
  readonly entry: Entry
  readonly by: DecidedBy
}

/** Records providers, each by its own options. */
const recording = () => {
  const noted: Array<Noted> = []
  const recorders: Array<Recorder> = []
  return {
    noted,
    around: (options: ProviderOptions & ProviderPorts): ProviderOptions & ProviderPorts => {
      const by = { options, isLimited: options.limiter !== undefined }
      const made = recorder(options, (entry) => noted.push({ entry, by }))
      recorders.push(made)
      return made.options
    },
    settled: async () => {
      for (const each of recorders) await each.settled()
    },
  }
}

/** The requests that met other rules than what is recorded of them, and those that are decided differently the second time. */
const faultsOf = async (noted: ReadonlyArray<Noted>) => {
  const unlike = noted.flatMap(({ entry: { unlike: was, decided, message: sent } }) =>
    was === undefined ? [] : [{ was, now: [decided.outcome, decided.status, decided.steps.at(-1)?.refused?.rule, decided.missing], sent }],
  )
  const unequal: Array<unknown> = []
  for (const { entry, by } of noted) {
    const written = JSON.parse(JSON.stringify(entry)) as Entry
    const again = await decide(written, by)
    if (JSON.stringify(again) !== JSON.stringify(written.decided)) unequal.push(differenceOf(written.decided, again))
  }
  return { unlike, unequal }
}

/** Words by which requests are decided, parts of them, and names of clients and people. */
const words = [
  "authorization_code",
  "refresh_token",
  "client_credentials",
  "password",
  "openid",
  "offline_access",
  "openid offline_access",
  "api.read",
  "web",
  "Web",
  "opaque",
  "ropc",
  "alice",
  "ALICE",
  "allow",
  "code",
  "S256",
  "https://app.example/cb",
  "https://op.example",
  "/connect/token",
  "/connect/",
  "connect",
  "application/x-www-form-urlencoded",
  "x-www-form",
  "jwt-bearer",
  "corp",
  "state",
  "stand-in-00",
  "192.0.2.1",
  "e",
  "",
  " ",
  "-",
  "=",
  "&",
  "\n",
  "\nweb",
  '["web"]',
  "BCDF-GHJK",
  "bcdfghjk",
  "WDJBMJHT",
  "secret of web",
]
const word = fc.constantFrom(...words)
const namesOfSecrets = [
  "client_secret",
  "password",
  "code",
  "token",
  "id_token_hint",
  "refresh_token",
  "assertion",
  "user_code",
  "access_token",
]
const namesOfOthers = [
  "grant_type",
  "client_id",
  "username",
  "scope",
  "redirect_uri",
  "decision",
  "csrf",
  "interaction",
  "resource",
  "provider",
]
const wordyFields = fc
  .uniqueArray(fc.tuple(fc.constantFrom(...namesOfSecrets, ...namesOfOthers), word), { maxLength: 7, selector: ([name]) => name })
  .map((pairs) => new URLSearchParams(pairs).toString())
/** Requests whose every value is a word. */
const wordy: fc.Arbitrary<Sent> = fc
  .record({
    path: fc.constantFrom(...paths, "/connect/token", "/connect/introspect"),
    query: fc.oneof(fc.constant(""), word, wordyFields),
    body: wordyFields,
    type: fc.constantFrom(formType, formType, "text/plain"),
    sent: fc.oneof(
      fc.constantFrom("web", "opaque", "ropc").map((name) => basic(name)),
      fc.tuple(word, word).map(([name, secret]) => basic(name, secret)),
      word.map((text) => `Bearer ${text}`),
      word,
    ),
  })
  .map(({ path, query, body, type, sent }) => ({
    method: "POST",
    path,
    query,
    body,
    headers: { "content-type": type, authorization: sent },
  }))

const beginning = {
  postern_recording: 2,
  version: "0.1.0",
  began_at: "2026-11-22T20:00:00.000Z",
  settings: { issuer: "https://op.example" },
  features: [],
  limited: false,
  pairwise: false,
} as const

const folder = (): string => {
  const made = mkdtempSync(join(tmpdir(), "postern-recording-"))
  onTestFinished(() => rmSync(made, { recursive: true, force: true }))
  return made
}

/** A sign-in, two refreshes, one with a wrong secret and one that is a replay: what was recorded, and the secrets that went by. */
const recorded = async () => {
  const rec = recording()
  const w = quickWorld({ around: rec.around })
  const visitor = await signedIn(w)
  const code = (await authorize(visitor, "web", { scope: "openid offline_access" })).params["code"] ?? ""
  const redeemed = { grant_type: "authorization_code", code, redirect_uri: "https://app.example/cb", code_verifier: verifier }
  const tokens = (await post(w, "/connect/token", "web", redeemed)).json ?? {}
  const refresh = { grant_type: "refresh_token", refresh_token: String(tokens["refresh_token"]) }
  await post(w, "/connect/token", "web", refresh, { authorization: basic("web", "a wrong secret of web") })
  await post(w, "/connect/token", "web", refresh)
  await w.visitor({ authorization: `Bearer ${String(tokens["access_token"])}` }).get("/connect/userinfo")
  await rec.settled()
  const secrets = [code, tokens["refresh_token"], tokens["access_token"], tokens["id_token"], ...visitor.cookies.values()].map(String)
  return { ...rec, secrets: [...secrets, verifier, password, "secret of web", "a wrong secret of web", btoa("web:secret%20of%20web")] }
}

/** Writes entries to a file, with bounds. */
const written = (entries: ReadonlyArray<Entry>, limits?: RecordingLimits) => {
  const file = join(folder(), "requests.recording")
  const recordingFile = beginRecording(file, beginning, limits)
  for (const each of entries) recordingFile.add(each)
  return { file, ending: recordingFile.end() }
}

describe("a recording", () => {
  it(
    "every requirement: a request meets the same rules by its record, and is decided the same byte for byte each time",
    patient,
    async () => {
      const rec = recording()
      await run(inProcess({ options: rec.around }), sample(requirements, 8))
      await rec.settled()
      expect(rec.noted.length).toBeGreaterThan(200)
      const { unlike, unequal } = await faultsOf(rec.noted)
      expect({ unlike, unequal }).toEqual({ unlike: [], unequal: [] })
    },
  )

  it(
    "whatever is sent to any endpoint: a request meets the same rules by its record, and is decided the same each time",
    patient,
    async () => {
      const rec = recording()
      const w = quickWorld({ around: rec.around })
      await fc.assert(
        fc.asyncProperty(message, async (sent) => void (await w.send(sent))),
        { numRuns: runs(2000) },
      )
      await rec.settled()
      expect(rec.noted.length).toBeGreaterThanOrEqual(runs(2000))
      expect(await faultsOf(rec.noted)).toEqual({ unlike: [], unequal: [] })
    },
  )

  it(
    "whatever word of the protocol is sent as a secret: a request meets the same rules by its record, and is decided the same each time",
    patient,
    async () => {
      const rec = recording()
      const w = quickWorld({ around: rec.around })
      await fc.assert(
        fc.asyncProperty(wordy, async (sent) => void (await w.send(sent))),
        { numRuns: runs(2000) },
      )
      await rec.settled()
      expect(rec.noted.length).toBeGreaterThanOrEqual(runs(2000))
      expect(await faultsOf(rec.noted)).toEqual({ unlike: [], unequal: [] })
    },
  )

  it.each<[given: string, path: string, sent: Readonly<Record<string, string>>, headers?: Readonly<Record<string, string>>]>([
    ["a password that is its grant type", "token", { grant_type: "password", username: "alice", password: "password" }],
    ["a password that is a scope", "token", { grant_type: "password", username: "alice", password: "openid", scope: "openid" }],
    ["a password of white space", "token", { grant_type: "password", username: "alice", password: " " }],
    ["a code that is its grant type", "token", { grant_type: "authorization_code", code: "authorization_code" }],
    [
      "a code that is a scope",
      "token",
      { grant_type: "password", username: "alice", password, scope: "openid offline_access", code: "offline_access" },
    ],
    ["a token that is a scope of an API", "token", { grant_type: "client_credentials", scope: "api.read", token: "api.read" }],
    ["a token that is a part of the path", "introspect", { token: "/connect/" }],
    ["a token that is a part of the media type", "introspect", { token: "/x-www-form" }],
    ["a token that is the address", "introspect", { token: "192.0.2.1" }],
    ["a short token that is the name of the client", "introspect", { token: "ropc" }],
    ["a short token of a hint", "endsession", { id_token_hint: "profile" }],
    ["a token that is the path", "userinfo", {}, { authorization: "Bearer /connect/userinfo" }],
    ["a token with a line break", "userinfo", {}, { authorization: "Bearer \nweb" }],
    ["a secret that is the media type", "token", { grant_type: "password" }, { authorization: basic("web", formType) }],
    ["a secret that is the path", "token", { grant_type: "password" }, { authorization: basic("web", "/connect/token") }],
    ["a name that is a token", "token", { code: "openid offline_access" }, { authorization: basic("openid offline_access", "x") }],
    ["a user code of a letter", "token", { user_code: "e", grant_type: "password", username: "alice", password: "x" }],
  ])("%s is not replaced where it is none (RFC 6749 §2.3.1): it meets the same rules by its record", async (_, path, sent, headers) => {
    const rec = recording()
    const w = quickWorld({ around: rec.around })
    await post(w, `/connect/${path}`, "ropc", sent, headers)
    await rec.settled()
    expect(rec.noted).toHaveLength(1)
    expect(await faultsOf(rec.noted)).toEqual({ unlike: [], unequal: [] })
  })

  it("a client that registered itself: its right secret and a wrong one meet the same rules by their records (RFC 7591 §3.2.1)", async () => {
    const rec = recording()
    const w = quickWorld({ ...registers(), tokens: memoryTokenStore(rowKindsOf(registers().more)), around: rec.around })
    const made = await register(w, undefined, await tokenIn(w))
    expect(made.status).toBe(201)
    const { client_id: id, client_secret: secret } = made.json as Readonly<Record<string, string>>
    const asked = (given: string) => post(w, "/connect/revocation", "web", { token: "none" }, { authorization: basic(String(id), given) })
    expect([(await asked(String(secret))).status, (await asked("password")).status]).toEqual([200, 401])
    await rec.settled()
    expect(secret?.length).toBeGreaterThan(20)
    expect(JSON.stringify(rec.noted.map(({ entry }) => entry))).not.toContain(secret)
    expect(await faultsOf(rec.noted)).toEqual({ unlike: [], unequal: [] })
  })

  it("a name that is its own secret: a wrong guess is counted under it, and meets the same rules by its record (RFC 6749 §2.3.1)", async () => {
    const rec = recording()
    const w = quickWorld({ around: rec.around })
    await post(w, "/connect/token", "web", { grant_type: "client_credentials" }, { authorization: basic("admin", "admin") })
    await post(w, "/connect/token", "web", { grant_type: "client_credentials" }, { authorization: basic("web", "web") })
    for (const name of ["alice", "Bob", " Carol "])
      await post(w, "/connect/token", "ropc", { grant_type: "password", username: name, password: name })
    await rec.settled()
    expect(rec.noted.map(({ entry: { decided } }) => decided.status)).toEqual([401, 401, 400, 400, 400])
    expect(await faultsOf(rec.noted)).toEqual({ unlike: [], unequal: [] })
  })

  it(
    "an embedder's pages: what they are told and what they answer is decided the same by its record, whatever refuses it",
    patient,
    async () => {
      for (const { title, run, options: { authenticator, clients, more } = {} } of interactions) {
        const rec = recording()
        const w = quickWorld({
          ...(clients === undefined ? {} : { clients }),
          more: { ...more, ...ownPages.more },
          around: (options) => rec.around({ ...options, authenticator: { ...options.authenticator, ...authenticator } }),
        })
        await run(w)
        await rec.settled()
        const pages = rec.noted.filter(({ entry }) => entry.page !== undefined)
        expect(pages.length, title).toBeGreaterThan(0)
        expect(await faultsOf(rec.noted), title).toEqual({ unlike: [], unequal: [] })
      }
    },
  )

  it("RFC 9700 §4.13: neither the handle of a page nor the token of its browser is in a recording, and other settings decide its answer anew", async () => {
    const rec = recording()
    const w = quickWorld({ more: ownPages.more ?? {}, around: rec.around })
    const at = await atSignIn(w, "asks", { scope: "openid email" })
    const said = await answer(w, at, { signIn: { subject: "sub-alice", amr: ["pwd"] } }, "POST", { accept: "application/json" })
    expect(said.status).toBe(200)
    const stale = await answer(w, at, { deny: true, csrf: "the token of quite another browser" })
    expect(stale.status).toBe(400)
    for (const from of [atConsent, atDevice]) await answer(w, await from(w), { deny: true })
    await rec.settled()
    const entries = rec.noted.map(({ entry }) => entry)
    expect(new Set(entries.flatMap(({ page }) => page?.call ?? []))).toEqual(new Set(["interaction", "resume"]))
    const text = JSON.stringify(entries)
    for (const secret of [at.state.csrf, at.state.interaction.slice(18), "the token of quite another browser"]) {
      expect(secret.length).toBeGreaterThan(20)
      expect(text).not.toContain(secret)
    }
    expect(await faultsOf(rec.noted)).toEqual({ unlike: [], unequal: [] })
    const [first] = rec.noted
    if (first === undefined) throw new TypeError("nothing was recorded")
    const gone = await replay({ entries }, { ...first.by, client: (id) => (id === "asks" ? null : undefined) })
    const refused = gone.flatMap(({ decided: { endpoint }, difference }) => (difference?.refuses ?? []).map(({ rule }) => [endpoint, rule]))
    expect(refused).toContainEqual(["resume-interaction", "interaction.client"])
    const { file } = written(entries)
    const read = await replay(readRecording(file), first.by)
    expect(read.flatMap(({ difference }) => difference ?? [])).toEqual([])
  })

  it("RFC 9700 §4.13: no password, code, token, cookie or client secret that went by is in a recording, nor is what proves a JWT", async () => {
    const { noted, secrets } = await recorded()
    const text = JSON.stringify(noted.map(({ entry }) => entry))
    expect(noted.length).toBeGreaterThan(6)
    for (const secret of secrets) {
      // Of a handle or a JWT everything may be known but its end.
      const proof = secret.split(".").at(-1) ?? secret
      expect(secret.length).toBeGreaterThan(8)
      expect(text).not.toContain(proof.slice(-43))
    }
    expect(await faultsOf(noted)).toEqual({ unlike: [], unequal: [] })
  })

  it("RFC 9700 §4.13, CIBA Core §7.1: no handle of any kind and no token for notifications is in a recording", async () => {
    const { around, noted, settled } = recording()
    const w = quickWorld({ around })
    // Of this type, so that no kind is left out.
    const kinds = { a: 0, b: 0, c: 0, d: 0, g: 0, i: 0, n: 0, p: 0, q: 0, r: 0, s: 0, u: 0 } satisfies Record<HandleKind, 0>
    const secretOf = (kind: string): string => `${kind}secret${"x1Y-".repeat(9)}`.padEnd(43, "z")
    const notified = "a token of the client's own for notifications"
    for (const kind of Object.keys(kinds)) {
      const handle = `${kind}_0VbpmJHwEPs4Hr7R${secretOf(kind)}`
      await post(w, "/connect/token", "web", { grant_type: "refresh_token", auth_req_id: handle, client_notification_token: notified })
      await w.visitor().get(`/connect/authorize?client_id=web&state=${handle}`)
    }
    await settled()
    const text = JSON.stringify(noted.map(({ entry }) => entry))
    expect(noted).toHaveLength(2 * Object.keys(kinds).length)
    expect(Object.keys(kinds).filter((kind) => text.includes(secretOf(kind)))).toEqual([])
    expect(decodeURIComponent(text.replaceAll("+", " "))).not.toContain(notified)
    expect(await faultsOf(noted)).toEqual({ unlike: [], unequal: [] })
  })

  it("RFC 9700 §4.13: a body that is no form, cookies of others and the page somebody came from are not in a recording", async () => {
    const rec = recording()
    const w = quickWorld({ around: rec.around })
    const hidden = "hidden-from-recordings"
    const sent = (type: string, body: string) =>
      w.send({
        method: "POST",
        path: "/connect/token",
        query: "",
        headers: {
          "content-type": type,
          cookie: `theirs=${hidden}; short=${hidden.slice(0, 9)}; xpostern-session=${hidden}`,
          referer: `https://app.example/${hidden}?code=${hidden}`,
        },
        body,
      })
    const form = `grant_type=password&username=alice&password=${hidden}&Client_Secret=${hidden}`
    for (const type of ["Application/X-WWW-Form-Urlencoded", " application/x-www-form-urlencoded ;charset=UTF-8"]) await sent(type, form)
    for (const type of ["text/plain", "application/json", "multipart/form-data", "application/x-www-form-urlencodedx", ""])
      await sent(type, form)
    await sent("application/json", JSON.stringify({ password: hidden, more: `&interaction=${hidden}` }))
    await rec.settled()
    const entries = rec.noted.map(({ entry }) => entry)
    expect(entries).toHaveLength(8)
    expect(JSON.stringify(entries)).not.toContain(hidden.slice(0, 9))
    expect(entries.map(({ message: { body } }) => body.startsWith("grant_type=password&username=alice&password=stand-in-"))).toEqual([
      true,
      true,
      ...Array.from({ length: 6 }, () => false),
    ])
    for (const { message: of } of entries) expect([of.headers["cookie"], of.headers["referer"]]).toEqual([undefined, "https://app.example"])
    expect(await faultsOf(rec.noted)).toEqual({ unlike: [], unequal: [] })
  })

  it("a record that cannot be made or written ends no process: the request is left out, and the file stays whole", async () => {
    const missed: Array<unknown> = []
    const w = quickWorld({
      around: (options) =>
        recorder(
          options,
          () => {
            throw new Error("no space")
          },
          (cause) => missed.push(cause),
        ).options,
    })
    await post(w, "/connect/token", "web", { grant_type: "client_credentials" })
    await expect.poll(() => missed.map(String)).toEqual(["Error: no space"])

    const entries = (await recorded()).noted.map(({ entry }) => entry)
    const file = join(folder(), "requests.recording")
    const troubles: Array<unknown> = []
    const full = beginRecording(file, beginning, undefined, (error) => troubles.push(error))
    const { writeSync } = fs
    onTestFinished(() => {
      fs.writeSync = writeSync
      syncBuiltinESMExports()
    })
    full.add(entries[0] as Entry)
    // A disk takes a part of a line, and then no more.
    let taken = 0
    fs.writeSync = ((handle: number, text: Buffer, at: number, _length: number, position: number) => {
      if (taken++ % 2 === 1) throw Object.assign(new Error("no space"), { code: "ENOSPC" })
      return writeSync(handle, text, at, 100, position)
    }) as typeof writeSync
    syncBuiltinESMExports()
    full.add(entries[1] as Entry)
    full.add(entries[2] as Entry)
    fs.writeSync = writeSync
    syncBuiltinESMExports()
    full.add(entries[3] as Entry)
    full.miss()
    expect(full.end()).toEqual({ requests: 2, left_out: 3 })
    expect(troubles).toHaveLength(1)
    const kept = readRecording(file)
    expect([kept.entries.map(({ request }) => request), kept.ending]).toEqual([
      [entries[0]?.request, entries[3]?.request],
      { requests: 2, left_out: 3 },
    ])
  })

  it("begins with settings of any length that the file has room for, and never without them", () => {
    const long = { ...beginning, declared: Array.from({ length: 100_000 }, (_, at) => `client number ${at}`) }
    const file = join(folder(), "requests.recording")
    expect(() => beginRecording(file, long, { requests: 1, bytes: 1024 * 1024, line: 1024 })).toThrow(RecordingTooSmall)
    const begun = beginRecording(file, long, { requests: 1, bytes: 8 * 1024 * 1024, line: 1024 })
    begun.end()
    expect(readRecording(file).beginning.declared).toHaveLength(100_000)
  })

  it("is read from a regular file alone: a pipe and a device have no end", () => {
    const pipe = join(folder(), "pipe")
    execFileSync("mkfifo", [pipe])
    for (const each of [pipe, "/dev/zero"]) expect(() => readRecording(each)).toThrow("it is no regular file")
  })

  it("has times of the calendar, and settings that a provider can be made of", async () => {
    const { noted } = await recorded()
    const entries = noted.map(({ entry }) => entry)
    for (const at of [1e300, -1, 253_402_300_800_000])
      expect(() => readRecordingText(`${JSON.stringify(beginning)}\n${JSON.stringify({ ...entries[0], at })}\n`)).toThrow(
        /^line 2: does not fit the schema/,
      )
    for (const settings of [
      { issuer: "nope" },
      { issuer: "https://op.example", profile: "nope" },
      { issuer: "https://op.example", resources: [{ resource: 5 }] },
    ])
      await expect(replay({ entries }, { options: settings as never, isLimited: false })).rejects.toBeInstanceOf(SettingsRefused)
  })

  it("names the request that a provider with these settings cannot decide at all, such as a call of a page that it does not have", async () => {
    const { noted } = await recorded()
    const [{ entry, by } = {}] = noted
    if (entry === undefined || by === undefined) throw new TypeError("nothing was recorded")
    const features = defaultFeatures.filter(({ ownPages }) => ownPages === undefined)
    const small = { ...by, options: { ...by.options, features } }
    const page = { ...entry, request: "a page's", page: { call: "interaction" } } as const
    const undecided = await replay({ entries: [entry, page] }, small).catch((error: unknown) => error)
    expect(undecided).toBeInstanceOf(RequestUndecided)
    expect(undecided).toMatchObject({
      request: "a page's",
      message: expect.stringMatching(/^request a page's cannot be decided: the provider has no feature with pages/) as unknown,
    })
  })

  it("is told apart rule by rule where another setting decides otherwise", async () => {
    const { noted } = await recorded()
    const [first] = noted
    if (first === undefined) throw new TypeError("nothing was recorded")
    const gone = { ...first.by, client: (id: string) => (id === "web" ? null : undefined) }
    const replayed = await replay({ entries: noted.map(({ entry }) => entry) }, gone)
    const found = replayed.flatMap(({ decided, difference }) =>
      difference === undefined ? [] : [[decided.endpoint, ...difference.refuses.map(({ rule, cites }) => `${rule} ${cites}`)]],
    )
    expect(found).toContainEqual(["token", "client.known RFC 6749 §5.2"])
    expect(found).toContainEqual(["authorize", "authorize.client-known RFC 6749 §4.1.2.1"])
    expect(replayed.filter(({ decided: { endpoint } }) => endpoint === "login").every(({ difference }) => difference === undefined)).toBe(
      true,
    )
  })

  it("is a new file that its owner alone may read, bounded in requests, in bytes and in each line", async () => {
    const entries = (await recorded()).noted.map(({ entry }) => entry)
    const { file, ending } = written(entries)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(ending).toEqual({ requests: entries.length, left_out: 0 })
    expect(readRecording(file)).toMatchObject({ beginning, entries: JSON.parse(JSON.stringify(entries)) as unknown, ending })
    expect(() => beginRecording(file, beginning)).toThrow(/EEXIST/)
    expect(written(entries, { requests: 2, bytes: 1e6, line: 1e6 }).ending).toEqual({ requests: 2, left_out: entries.length - 2 })
    const small = written(entries, { requests: 1e6, bytes: 20_000, line: 1e6 })
    expect(small.ending.left_out).toBeGreaterThan(0)
    expect(statSync(small.file).size).toBeLessThan(20_100)
    expect(written(entries, { requests: 1e6, bytes: 1e6, line: 300 }).ending.requests).toBe(0)
  })

  it("fits the schema that is published, line by line, and the schema is the one of the package", async () => {
    const { file } = written((await recorded()).noted.map(({ entry }) => entry))
    const published = JSON.parse(
      readFileSync(new URL("../../packages/conformance/schema/recording.schema.json", import.meta.url), "utf8"),
    ) as object
    expect(published).toEqual(JSON.parse(JSON.stringify(recordingJsonSchema())))
    const fits = new Ajv2020({ strict: false }).compile(published)
    for (const line of readFileSync(file, "utf8").trimEnd().split("\n")) expect([fits(JSON.parse(line)), fits.errors]).toEqual([true, null])
    expect(fits({ request: 1 })).toBe(false)
  })

  it("names the line that is damaged, and takes one that was cut off for what is whole of it", async () => {
    const { file } = written((await recorded()).noted.map(({ entry }) => entry))
    const text = readFileSync(file, "utf8")
    const lines = text.trimEnd().split("\n")
    const joined = (changed: ReadonlyArray<string>): string => `${changed.join("\n")}\n`
    const faulty = (of: string): string => {
      try {
        readRecordingText(of)
        return ""
      } catch (error) {
        return error instanceof RecordingUnreadable ? error.message : `another error: ${String(error)}`
      }
    }
    expect(faulty("")).toBe("line 1: is no beginning of a recording")
    expect(faulty("\n")).toBe("line 1: is no JSON")
    expect(faulty("[]\n")).toBe("line 1: is no beginning of a recording")
    expect(faulty(joined([(lines[0] ?? "").replace('"postern_recording":2', '"postern_recording":3')]))).toBe(
      "line 1: is of version 3 of recordings; this command reads 1 and 2",
    )
    expect(readRecordingText(text.replace('"postern_recording":2', '"postern_recording":1')).entries).toHaveLength(lines.length - 2)
    expect(faulty(joined([lines[0] ?? "", "{", ...lines.slice(2)]))).toBe("line 2: is no JSON")
    expect(faulty(joined([lines[0] ?? "", "{}", ...lines.slice(2)]))).toMatch(/^line 2: does not fit the schema of recordings: /)
    expect(faulty(joined([...lines, lines[1] ?? ""]))).toBe(`line ${lines.length + 1}: comes after the end`)
    expect(faulty(joined([lines[0] ?? "", ...lines.slice(2)]))).toMatch(/^line \d+: counts \d+ requests, and there are \d+$/)
    const cut = readRecordingText(text.slice(0, text.lastIndexOf("\n", text.length - 2) - 40))
    expect([cut.ending, cut.entries.length]).toEqual([undefined, lines.length - 3])
  })

  it(
    "RFC 9110 §15.6.1: whatever is put in the place of any part of a recording, it is refused or decided, and never thrown at the reader",
    patient,
    async () => {
      const { noted } = await recorded()
      const [{ by } = { by: undefined }] = noted
      if (by === undefined) throw new TypeError("nothing was recorded")
      const texts = noted.map(({ entry }) => JSON.stringify(entry))
      /** Puts a value in the place of the member that is met at a count of members. */
      const changed = (value: unknown, at: { left: number }, other: unknown): unknown => {
        if (at.left-- === 0) return other
        if (Array.isArray(value)) return value.map((each: unknown) => changed(each, at, other))
        if (typeof value !== "object" || value === null) return value
        return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, changed(each, at, other)]))
      }
      await fc.assert(
        fc.asyncProperty(fc.nat(texts.length - 1), fc.nat(150), fc.jsonValue(), async (which, left, other) => {
          const line = JSON.stringify(changed(JSON.parse(texts[which] ?? ""), { left }, other))
          try {
            const { entries } = readRecordingText(`${JSON.stringify(beginning)}\n${line}\n`)
            const [replayed] = await replay({ entries }, by)
            if (entries.length > 0) expect(replayed?.decided.fault ?? "").not.toContain("\n")
          } catch (error) {
            expect(error).toBeInstanceOf(RecordingUnreadable)
          }
        }),
        { numRuns: runs(1000) },
      )
    },
  )
})
