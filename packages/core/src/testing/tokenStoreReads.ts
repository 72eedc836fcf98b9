import {
  type AccessToken,
  type AuthorizationCode,
  type Command,
  type Consent,
  type Grant,
  type Interaction,
  type RefreshToken,
  type Session,
  addMessage,
  grants,
  latest,
  outbox,
  saveAccessToken,
  saveCode,
  saveConsent,
  saveGrant,
  saveInteraction,
  saveRefreshToken,
  saveSession,
} from "../model/index.ts"
import type { Awaitable } from "../ports/index.ts"
import { type ContractCase, expectSame } from "./contract.ts"
import * as samples from "./rows.ts"
import { type TokenStoreSubject, committed, grant, it, saved } from "./tokenStoreSubject.ts"

const awkward = `"quotes" 'single' \\ back\nline\t\u0000 ünïcödé 漢字 🗝 %_;--`

interface Saved {
  readonly grant: Grant
  readonly code: AuthorizationCode
  readonly token: AccessToken
  readonly refresh: RefreshToken
  readonly session: Session
  readonly interaction: Interaction
  readonly consent: Consent
}

const savesOf = ({ grant: saved, code, token, refresh, session, interaction, consent }: Saved): ReadonlyArray<Command> => [
  saveGrant(saved),
  saveCode(code),
  saveAccessToken(token),
  saveRefreshToken(refresh),
  saveSession(session),
  saveInteraction(interaction),
  saveConsent(consent, undefined),
]

/** Reads: an unknown row is undefined, and a stored row is returned in full. */
export const readCases: ReadonlyArray<ContractCase<TokenStoreSubject>> = [
  it("unknown rows are undefined, unknown people have empty lists", async ({ store }) => {
    const unknown = samples.sampleLocator(99)
    expectSame(await store.findGrant(unknown), undefined, "findGrant")
    expectSame(await store.findCode(unknown), undefined, "findCode")
    expectSame(await store.findAccessToken(unknown), undefined, "findAccessToken")
    expectSame(await store.findRefreshToken(unknown), undefined, "findRefreshToken")
    expectSame(await store.findSession(unknown), undefined, "findSession")
    expectSame(await store.findInteraction(unknown), undefined, "findInteraction")
    expectSame(await store.findConsent("nobody", "client"), undefined, "findConsent")
    expectSame(await store.sessionsOf("nobody"), [], "sessionsOf")
    expectSame(await store.consentsOf("nobody"), [], "consentsOf")
  }),
  it("an empty set of commands is committed", (subject) => committed(subject)),
  it("rows with every optional field absent come back as they were saved", async (subject) => {
    const { store } = subject
    const [code, token, refresh, session] = [
      samples.sampleCode(2),
      samples.sampleAccessToken(3),
      samples.sampleRefreshToken(4),
      samples.sampleSession(5),
    ]
    const [interaction, consent] = [samples.sampleInteraction(6), samples.sampleConsent("subject", "client")]
    await committed(subject, ...savesOf({ grant, code, token, refresh, session, interaction, consent }))
    expectSame(await store.findGrant(grant.id), grant, "grant")
    expectSame(await store.findCode(code.locator), { code, grant }, "code")
    expectSame(await store.findAccessToken(token.locator), { token, grant: undefined }, "access token")
    expectSame(await store.findRefreshToken(refresh.locator), { token: refresh, grant }, "refresh token")
    expectSame(await store.findSession(session.locator), session, "session")
    expectSame(await store.findInteraction(interaction.locator), interaction, "interaction")
    expectSame(await store.findConsent("subject", "client"), consent, "consent")
  }),
  it("rows with every optional field present, and awkward text, come back as they were saved", async (subject) => {
    const { store } = subject
    const at = samples.sampleTime + 1
    const full = samples.sampleGrant(1, {
      clientId: awkward,
      subject: awkward,
      scope: [awkward, "b"],
      resources: [awkward],
      amr: [],
      acr: awkward,
      nonce: awkward,
      revokedAt: at,
    })
    const code = samples.sampleCode(2, {
      redirectUri: awkward,
      challenge: { method: "plain", value: awkward },
      clientVersion: awkward,
      consumedAt: at,
    })
    const token = samples.sampleAccessToken(3, { grantId: full.id, subject: awkward, scope: [], audience: [awkward], revokedAt: at })
    const refresh = samples.sampleRefreshToken(4, {
      absoluteExpiresAt: at,
      rotatedAt: at,
      successor: { locator: samples.sampleLocator(5), sealed: awkward },
    })
    const session = samples.sampleSession(5, { acr: awkward, tenant: awkward, agent: awkward, amr: ["pwd", "otp"], endedAt: at })
    const interaction = samples.sampleInteraction(6, {
      params: [[awkward, awkward]],
      signedInAt: at,
      subject: awkward,
      consented: [],
      denied: true,
      finishedAt: at,
      version: 7,
    })
    const consent = samples.sampleConsent(awkward, awkward, {
      scope: [],
      expiresAt: at,
      terms: { name: awkward, redirectUris: [awkward, ""], scope: null, method: "none", keys: null },
    })
    await committed(subject, ...savesOf({ grant: full, code, token, refresh, session, interaction, consent }))
    expectSame(await store.findCode(code.locator), { code, grant: full }, "code")
    expectSame(await store.findAccessToken(token.locator), { token, grant: full }, "access token")
    expectSame(await store.findRefreshToken(refresh.locator), { token: refresh, grant: full }, "refresh token")
    expectSame(await store.findSession(session.locator), session, "session")
    expectSame(await store.findInteraction(interaction.locator), interaction, "interaction")
    expectSame(await store.findConsent(awkward, awkward), consent, "consent")
  }),
  it("a row whose grant is gone is not found: nothing outlives its grant", async (subject) => {
    const { store } = subject
    await committed(subject, saved.code(2), saved.accessToken(3, { grantId: grant.id }), saved.refreshToken(4))
    expectSame(await store.findCode(samples.sampleLocator(2)), undefined, "code")
    expectSame(await store.findAccessToken(samples.sampleLocator(3)), undefined, "access token")
    expectSame(await store.findRefreshToken(samples.sampleLocator(4)), undefined, "refresh token")
  }),
  it("sessionsOf lists a person's sessions that have not ended, newest first", async (subject) => {
    for (const order of [3, 1, 2]) await committed(subject, saved.session(order))
    await committed(subject, saved.session(4, { endedAt: samples.sampleTime }), saved.session(5, { subject: "another" }))
    const listed = await subject.store.sessionsOf("subject")
    expectSame(listed, [samples.sampleSession(3), samples.sampleSession(2), samples.sampleSession(1)], "sessions")
  }),
  it("grantsOf lists a person's grants that are not revoked, newest first", async (subject) => {
    for (const order of [3, 1, 2]) await committed(subject, saved.grant(order))
    await committed(
      subject,
      saved.grant(4, { revokedAt: samples.sampleTime }),
      saved.grant(5, { subject: "another" }),
      saved.grant(6, { sessionId: undefined }),
    )
    const listed = (await subject.store.grantsOf("subject")).map(({ id }) => id)
    expectSame(listed, [6, 3, 2, 1].map(samples.sampleLocator), "grants")
    expectSame((await subject.store.findGrant(samples.sampleLocator(6)))?.sessionId, undefined, "a grant without a session")
  }),
  it("grantsOf leaves out what an extension grant made, unless it holds offline_access", async (subject) => {
    const extension = { grantType: "urn:x", claims: { act: { sub: "client" } }, lifetime: 60, generation: 1, absoluteExpiresAt: 0 }
    await committed(
      subject,
      saved.grant(1, { extension, parentId: samples.sampleLocator(9) }),
      saved.grant(2, { extension, scope: ["openid", "offline_access"] }),
    )
    expectSame(
      (await subject.store.grantsOf("subject")).map(({ id }) => id),
      [samples.sampleLocator(2)],
      "grants",
    )
    expectSame(
      await subject.store.findGrant(samples.sampleLocator(1)),
      samples.sampleGrant(1, { extension, parentId: samples.sampleLocator(9) }),
      "its members",
    )
  }),
  it("consentsOf lists a person's consents, newest first", async (subject) => {
    const given = [1, 3, 2].map((at) => samples.sampleConsent("subject", `client ${at}`, { grantedAt: samples.sampleTime + at }))
    await committed(subject, ...given.map((consent) => saveConsent(consent, undefined)))
    await committed(subject, saveConsent(samples.sampleConsent("another", "client 4"), undefined))
    const listed = (await subject.store.consentsOf("subject")).map(({ clientId }) => clientId)
    expectSame(listed, ["client 3", "client 2", "client 1"], "consents")
  }),
  it("lists stop at 100, and keep the newest", async (subject) => {
    const orders = Array.from({ length: 103 }, (_, order) => order)
    await committed(subject, ...orders.map((order) => saved.session(order)))
    await committed(
      subject,
      ...orders.map((order) =>
        saveConsent(samples.sampleConsent("subject", `client ${order}`, { grantedAt: samples.sampleTime + order }), undefined),
      ),
    )
    const [sessions, consents] = [await subject.store.sessionsOf("subject"), await subject.store.consentsOf("subject")]
    expectSame([sessions.length, consents.length], [100, 100], "lengths")
    expectSame([sessions[0]?.locator, sessions[99]?.locator], [samples.sampleLocator(102), samples.sampleLocator(3)], "sessions")
    expectSame([consents[0]?.clientId, consents[99]?.clientId], ["client 102", "client 3"], "consents")
  }),
  it("a list that goes on from its last row passes nothing by, however many rows are of one second", async (subject) => {
    const { store } = subject
    const orders = Array.from({ length: 250 }, (_, order) => order)
    await committed(subject, ...orders.map((order) => saved.grant(order, { sessionId: "crowded" })))
    await committed(subject, ...orders.map((order) => addMessage(samples.sampleLocator(order), "crowd.told", {}, samples.sampleTime)))
    const walked = async (page: (from: typeof latest) => Awaitable<ReadonlyArray<{ createdAt: number; key: string }>>) => {
      const keys: Array<string> = []
      const sizes: Array<number> = []
      for (let from = latest; ;) {
        const rows = await page(from)
        keys.push(...rows.map(({ key }) => key))
        sizes.push(rows.length)
        const last = rows.at(-1)
        if (last === undefined) return { keys, sizes }
        from = { until: last.createdAt, before: last.key }
      }
    }
    const whole = { keys: orders.toReversed().map(samples.sampleLocator), sizes: [100, 100, 50, 0] }
    const made = await walked(async (from) =>
      (await store.list(grants, "ofSession", { subject: "subject", sessionId: "crowded", ...from })).map(({ createdAt, id }) => ({
        createdAt,
        key: id,
      })),
    )
    expectSame(made, whole, "grants")
    const written = await walked(async (from) =>
      (await store.list(outbox, "waitingOfKind", { kind: "crowd.told", ...from })).map(({ createdAt, locator }) => ({
        createdAt,
        key: locator,
      })),
    )
    expectSame(written, whole, "messages")
  }),
]
