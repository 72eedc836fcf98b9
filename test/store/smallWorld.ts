import fc from "fast-check"
import {
  type Command,
  type Interaction,
  addMessage,
  buryMessage,
  claimMessage,
  deliverMessage,
  outbox,
  postponeMessage,
  consumeCode,
  countAttempt,
  endSession,
  extendRefreshToken,
  forgetAttempts,
  keepGrant,
  removeConsent,
  deviceAnswers,
  type Device,
  finishRequest,
  finishUpstream,
  noteAnswer,
  requireConsent,
  requireGrant,
  requireSession,
  reserveAttempt,
  returnAttempt,
  revokeAccessToken,
  revokeGrant,
  revokeGrants,
  rotateRefreshToken,
  saveAccessToken,
  saveCode,
  saveConsent,
  saveDevice,
  saveGrant,
  saveInteraction,
  saveRefreshToken,
  saveSession,
  signOut,
  touchSession,
  useOnce,
  uses,
  usePushedRequest,
} from "@postern/core/model"
import type { TokenStorePort } from "@postern/core/ports"
import {
  sampleAccessToken,
  sampleCode,
  sampleConsent,
  sampleDevice,
  sampleGrant,
  sampleInteraction,
  sampleLocator,
  sampleRefreshToken,
  sampleSession,
  sampleTime,
} from "@postern/core/testing"

/** A world so small that commands keep meeting the same rows. */
const orders = [1, 2, 3]
const order = fc.constantFrom(...orders)
const locator = order.map(sampleLocator)
const subject = fc.constantFrom("ann", "bob")
const clientId = fc.constantFrom("one", "two")
const at = fc.integer({ min: sampleTime, max: sampleTime + 20 })
const version = fc.integer({ min: 1, max: 4 })
const maybe = <A>(value: fc.Arbitrary<A>): fc.Arbitrary<A | undefined> => fc.option(value, { nil: undefined })
const words = fc.array(fc.string({ unit: "grapheme", maxLength: 5 }), { maxLength: 3 })
const made = <Parts extends Record<string, unknown>, Row>(
  parts: { [Name in keyof Parts]: fc.Arbitrary<Parts[Name]> },
  make: (order: number, told: Parts) => Row,
): fc.Arbitrary<Row> => fc.tuple(order, fc.record(parts)).map(([each, told]) => make(each, told as Parts))

const grant = made(
  {
    subject,
    clientId,
    sessionId: locator,
    scope: words,
    resources: words,
    acr: maybe(fc.string()),
    nonce: maybe(fc.string()),
    claims: maybe(fc.record({ userinfo: words, idToken: words, locales: words }, { noNullPrototype: true })),
    endsWithSession: fc.boolean(),
    parentId: maybe(locator),
    extension: maybe(
      fc.record(
        {
          grantType: fc.constant("urn:x"),
          claims: fc.constant({ act: { sub: "one" } }),
          lifetime: fc.constantFrom(60, 600),
          generation: fc.nat(8),
          absoluteExpiresAt: at,
        },
        { noNullPrototype: true },
      ),
    ),
    keepUntil: at,
  },
  sampleGrant,
)
const session = made(
  { subject, keepUntil: at, endedAt: maybe(at), acr: maybe(fc.string()), idp: maybe(fc.string()), amr: words },
  sampleSession,
)
/** Rows of each kind that waits, with members that are undefined: these are absent from what a store returns. */
const interaction: fc.Arbitrary<Interaction> = fc.oneof(
  made(
    {
      version,
      denied: fc.boolean(),
      consented: maybe(words),
      subject: maybe(subject),
      signedInAt: maybe(at),
      finishedAt: maybe(at),
      keepUntil: at,
    },
    sampleInteraction,
  ),
  made(
    { version, subject: maybe(subject), signedInAt: maybe(at), failedProvider: maybe(words.map(String)), keepUntil: at },
    (each, told) => {
      const { params: _, denied: __, ...pending } = sampleInteraction(each)
      return { ...pending, ...told, kind: "device" as const, userCode: "WDJB-MJHT" }
    },
  ),
  made({ version, maxAge: maybe(at), finishedAt: maybe(at), keepUntil: at }, (each, told) => {
    const { params: _, denied: __, clientId: ___, ...pending } = sampleInteraction(each)
    return {
      ...pending,
      ...told,
      kind: "upstream" as const,
      provider: "corp",
      waiting: { locator: pending.locator, sealed: pending.digest },
    }
  }),
  made({ version, usedBy: maybe(locator), finishedAt: maybe(at), keepUntil: at }, (each, told) => {
    const { browser: _, denied: __, ...kept } = sampleInteraction(each)
    return { ...kept, ...told, kind: "pushed" as const }
  }),
)
/** Events that end a waiting row, or that are noted on it: each as if it were in a state that takes it. */
const next = (row: Interaction, time: number, usedBy?: string): Command => {
  if (row.kind === "authorization") return finishRequest({ ...row, finishedAt: undefined }, time, { outcome: "granted", subject: "ann" })
  if (row.kind === "device" || row.kind === "visit") return noteAnswer(row)
  return row.kind === "pushed"
    ? usePushedRequest({ ...row, finishedAt: undefined }, usedBy, time)
    : finishUpstream({ ...row, finishedAt: undefined }, time)
}
const consent = fc
  .tuple(subject, clientId, fc.record({ scope: words, grantedAt: at, expiresAt: fc.oneof(fc.constant(0), at) }))
  .map(([of, to, told]) => sampleConsent(of, to, told))
const device = made(
  {
    version,
    polledAt: maybe(at),
    state: fc.constantFrom("pending" as const, "approved" as const, "denied" as const, "consumed" as const),
    grantId: maybe(locator),
    keepUntil: at,
  },
  sampleDevice,
)
const successor = fc.record({ locator, sealed: fc.string() }, { noNullPrototype: true })

const times = fc.record({ seenAt: at, expiresAt: at, keepUntil: at })
const code = made({ grantId: locator, consumedAt: maybe(at), keepUntil: at }, sampleCode)
const accessToken = made(
  { grantId: maybe(locator), subject: maybe(subject), audience: words, revokedAt: maybe(at), keepUntil: at },
  sampleAccessToken,
)
const refreshToken = made({ grantId: locator, rotatedAt: maybe(at), successor: maybe(successor), keepUntil: at }, sampleRefreshToken)
const reservation = fc.record({ key: subject, most: fc.constantFrom(1, 2, 3), resetAt: at, fullUntil: maybe(at) })

/** Commands of one verb, with anything it may be given. */
const of = <Args extends Array<unknown>>(
  make: (...args: Args) => Command | ReadonlyArray<Command>,
  ...args: { [Place in keyof Args]: fc.Arbitrary<Args[Place]> }
): fc.Arbitrary<ReadonlyArray<Command>> => fc.tuple<Args>(...args).map((each) => [make(...each)].flat())

const commands: fc.Arbitrary<ReadonlyArray<Command>> = fc.oneof(
  of(saveGrant, grant),
  of(requireGrant, locator),
  of(keepGrant, locator, at),
  of(revokeGrant, locator, at),
  of(revokeGrants, fc.record({ subject, clientId: maybe(clientId), sessionId: maybe(locator) }), at),
  of(saveCode, code),
  of(consumeCode, locator, at, at),
  of(saveAccessToken, accessToken),
  of(revokeAccessToken, locator, at),
  of(saveRefreshToken, refreshToken),
  of(extendRefreshToken, locator, at),
  of(rotateRefreshToken, locator, at, successor),
  of(saveSession, session),
  of(requireSession, locator),
  of(touchSession, locator, times),
  of(endSession, locator, at),
  of(signOut, locator, at),
  of(saveInteraction, interaction),
  of(next, interaction, at, maybe(locator)),
  of((each: Interaction) => (each.kind === "authorization" && each.finishedAt === undefined ? noteAnswer(each) : []), interaction),
  of(saveDevice, device),
  of(
    (each: Device, pause: number) => (each.state === "consumed" ? [] : deviceAnswers.poll(each, each.createdAt, pause)),
    device,
    fc.nat(60),
  ),
  of((each: Device, grantId: string) => deviceAnswers.approve({ ...each, state: "pending" }, grantId), device, locator),
  of((each: Device) => deviceAnswers.deny({ ...each, state: "pending" }), device),
  of((each: Device) => deviceAnswers.consume({ ...each, state: "approved" }), device),
  of(countAttempt, subject, at, at),
  of(reserveAttempt, reservation, at),
  of(returnAttempt, subject, at),
  of(forgetAttempts, subject),
  of(useOnce, subject, at, at),
  of(saveConsent, consent, maybe(at)),
  of(requireConsent, consent),
  of(removeConsent, subject, clientId),
  of(addMessage, locator, subject, fc.record({ words }, { noNullPrototype: true }), at),
  of(claimMessage, locator, fc.integer({ min: 0, max: 2 }), subject, at, at),
  of(deliverMessage, locator, subject),
  of(postponeMessage, locator, subject, at, fc.string()),
  of(buryMessage, locator, subject, at, at, fc.string()),
)

/** A set of commands to commit, or a moment to sweep at. */
export type Step = { readonly commit: ReadonlyArray<Command> } | { readonly sweep: number }
/** Any step in that world. */
export const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 9, arbitrary: fc.record({ commit: fc.array(commands, { maxLength: 4 }).map((sets) => sets.flat()) }) },
  { weight: 1, arbitrary: fc.record({ sweep: at }) },
)

/** Everything a store holds of that world, as it answers it. */
export const reads = (store: TokenStorePort): ReadonlyArray<unknown> => [
  ...orders
    .map(sampleLocator)
    .flatMap((each) => [
      store.findGrant(each),
      store.findCode(each),
      store.findAccessToken(each),
      store.findRefreshToken(each),
      store.findSession(each),
      store.findInteraction(each),
      store.findDevice(each),
      store.find(outbox, { locator: each }),
    ]),
  store.list(outbox, "due", { now: sampleTime + 10 }),
  store.list(outbox, "dead", {}),
  ...orders.map((each) => store.findDeviceByUserCode(`user code ${each}`)),
  ...["ann", "bob"].flatMap((of) => [
    store.findAttempts(of),
    store.find(uses, { key: of }),
    store.grantsOf(of),
    store.sessionsOf(of),
    store.consentsOf(of),
    store.findConsent(of, "one"),
    store.findConsent(of, "two"),
  ]),
]
