import { saveAccessToken, saveCode, saveConsent, saveGrant, saveInteraction, saveRefreshToken, saveSession } from "../model/index.ts"
import { type ContractCase, contractCase, expectSame } from "./contract.ts"
import {
  sampleAccessToken,
  sampleCode,
  sampleConsent,
  sampleGrant,
  sampleInteraction,
  sampleLocator,
  sampleRefreshToken,
  sampleSession,
  sampleTime,
} from "./rows.ts"
import { type TokenStoreSubject, committed } from "./tokenStoreSubject.ts"

const it = contractCase<TokenStoreSubject>

const grant = sampleGrant(1)
const awkward = `"quotes" 'single' \\ back\nline\t\u0000 ünïcödé 漢字 🗝 %_;--`

/** Reads: what is not there is undefined, what is there comes back whole. */
export const readCases: ReadonlyArray<ContractCase<TokenStoreSubject>> = [
  it("unknown rows are undefined, unknown people have empty lists", async ({ store }) => {
    const unknown = sampleLocator(99)
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
    const [code, token, refresh, session] = [sampleCode(2), sampleAccessToken(3), sampleRefreshToken(4), sampleSession(5)]
    const [interaction, consent] = [sampleInteraction(6), sampleConsent("subject", "client")]
    await committed(
      subject,
      saveGrant(grant),
      saveCode(code),
      saveAccessToken(token),
      saveRefreshToken(refresh),
      saveSession(session),
      saveInteraction(interaction),
      saveConsent(consent, undefined),
    )
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
    const at = sampleTime + 1
    const full = sampleGrant(1, {
      clientId: awkward,
      subject: awkward,
      scope: [awkward, "b"],
      resources: [awkward],
      amr: [],
      acr: awkward,
      nonce: awkward,
      revokedAt: at,
    })
    const code = sampleCode(2, { redirectUri: awkward, challenge: { method: "plain", value: awkward }, consumedAt: at })
    const token = sampleAccessToken(3, { grantId: full.id, subject: awkward, scope: [], audience: [awkward], revokedAt: at })
    const refresh = sampleRefreshToken(4, {
      absoluteExpiresAt: at,
      rotatedAt: at,
      successor: { locator: sampleLocator(5), sealed: awkward },
    })
    const session = sampleSession(5, { acr: awkward, tenant: awkward, agent: awkward, amr: ["pwd", "otp"], endedAt: at })
    const interaction = sampleInteraction(6, {
      params: [[awkward, awkward]],
      signedInAt: at,
      subject: awkward,
      consented: [],
      denied: true,
      finishedAt: at,
      version: 7,
    })
    const consent = sampleConsent(awkward, awkward, { scope: [], expiresAt: at })
    await committed(
      subject,
      saveGrant(full),
      saveCode(code),
      saveAccessToken(token),
      saveRefreshToken(refresh),
      saveSession(session),
      saveInteraction(interaction),
      saveConsent(consent, undefined),
    )
    expectSame(await store.findCode(code.locator), { code, grant: full }, "code")
    expectSame(await store.findAccessToken(token.locator), { token, grant: full }, "access token")
    expectSame(await store.findRefreshToken(refresh.locator), { token: refresh, grant: full }, "refresh token")
    expectSame(await store.findSession(session.locator), session, "session")
    expectSame(await store.findInteraction(interaction.locator), interaction, "interaction")
    expectSame(await store.findConsent(awkward, awkward), consent, "consent")
  }),
  it("a row whose grant is gone is not found: nothing outlives its grant", async (subject) => {
    const { store } = subject
    await committed(
      subject,
      saveCode(sampleCode(2)),
      saveAccessToken(sampleAccessToken(3, { grantId: grant.id })),
      saveRefreshToken(sampleRefreshToken(4)),
    )
    expectSame(await store.findCode(sampleLocator(2)), undefined, "code")
    expectSame(await store.findAccessToken(sampleLocator(3)), undefined, "access token")
    expectSame(await store.findRefreshToken(sampleLocator(4)), undefined, "refresh token")
  }),
  it("sessionsOf lists a person's sessions that have not ended, newest first", async (subject) => {
    for (const order of [3, 1, 2]) await committed(subject, saveSession(sampleSession(order)))
    await committed(subject, saveSession(sampleSession(4, { endedAt: sampleTime })), saveSession(sampleSession(5, { subject: "another" })))
    const listed = await subject.store.sessionsOf("subject")
    expectSame(listed, [sampleSession(3), sampleSession(2), sampleSession(1)], "sessions")
  }),
  it("grantsOf lists a person's grants that are not revoked, newest first", async (subject) => {
    for (const order of [3, 1, 2]) await committed(subject, saveGrant(sampleGrant(order)))
    await committed(
      subject,
      saveGrant(sampleGrant(4, { revokedAt: sampleTime })),
      saveGrant(sampleGrant(5, { subject: "another" })),
      saveGrant(sampleGrant(6, { sessionId: undefined })),
    )
    const listed = (await subject.store.grantsOf("subject")).map(({ id }) => id)
    expectSame(listed, [6, 3, 2, 1].map(sampleLocator), "grants")
    expectSame((await subject.store.findGrant(sampleLocator(6)))?.sessionId, undefined, "a grant without a session")
  }),
  it("grantsOf leaves out what an extension grant made, unless it holds offline_access", async (subject) => {
    const extension = { grantType: "urn:x", claims: { act: { sub: "client" } }, lifetime: 60, generation: 1, absoluteExpiresAt: 0 }
    await committed(
      subject,
      saveGrant(sampleGrant(1, { extension, parentId: sampleLocator(9) })),
      saveGrant(sampleGrant(2, { extension, scope: ["openid", "offline_access"] })),
    )
    expectSame(
      (await subject.store.grantsOf("subject")).map(({ id }) => id),
      [sampleLocator(2)],
      "grants",
    )
    expectSame(await subject.store.findGrant(sampleLocator(1)), sampleGrant(1, { extension, parentId: sampleLocator(9) }), "its members")
  }),
  it("consentsOf lists a person's consents, newest first", async (subject) => {
    const given = [1, 3, 2].map((at) => sampleConsent("subject", `client ${at}`, { grantedAt: sampleTime + at }))
    await committed(subject, ...given.map((consent) => saveConsent(consent, undefined)))
    await committed(subject, saveConsent(sampleConsent("another", "client 4"), undefined))
    const listed = (await subject.store.consentsOf("subject")).map(({ clientId }) => clientId)
    expectSame(listed, ["client 3", "client 2", "client 1"], "consents")
  }),
  it("lists stop at 100, and keep the newest", async (subject) => {
    const orders = Array.from({ length: 103 }, (_, order) => order)
    await committed(subject, ...orders.map((order) => saveSession(sampleSession(order))))
    await committed(
      subject,
      ...orders.map((order) => saveConsent(sampleConsent("subject", `client ${order}`, { grantedAt: sampleTime + order }), undefined)),
    )
    const [sessions, consents] = [await subject.store.sessionsOf("subject"), await subject.store.consentsOf("subject")]
    expectSame([sessions.length, consents.length], [100, 100], "lengths")
    expectSame([sessions[0]?.locator, sessions[99]?.locator], [sampleLocator(102), sampleLocator(3)], "sessions")
    expectSame([consents[0]?.clientId, consents[99]?.clientId], ["client 102", "client 3"], "consents")
  }),
]
