import fc from "fast-check"
import type { Command } from "@postern/core/model"
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
const interaction = made(
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
)
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

const command: fc.Arbitrary<Command> = fc.oneof(
  fc.record({ _tag: fc.constant("SaveGrant" as const), grant }),
  fc.record({ _tag: fc.constant("RequireGrant" as const), grantId: locator }),
  fc.record({ _tag: fc.constant("KeepGrant" as const), grantId: locator, keepUntil: at }),
  fc.record({ _tag: fc.constant("RevokeGrant" as const), grantId: locator, at }),
  fc.record({ _tag: fc.constant("RevokeGrants" as const), subject, clientId: maybe(clientId), sessionId: maybe(locator), at }),
  fc.record({ _tag: fc.constant("SaveCode" as const), code: made({ grantId: locator, consumedAt: maybe(at), keepUntil: at }, sampleCode) }),
  fc.record({ _tag: fc.constant("ConsumeCode" as const), locator, at, keepUntil: at }),
  fc.record({ _tag: fc.constant("RequireSession" as const), locator }),
  fc.record({ _tag: fc.constant("RequireConsent" as const), consent }),
  fc.record({
    _tag: fc.constant("SaveAccessToken" as const),
    token: made(
      { grantId: maybe(locator), subject: maybe(subject), audience: words, revokedAt: maybe(at), keepUntil: at },
      sampleAccessToken,
    ),
  }),
  fc.record({ _tag: fc.constant("RevokeAccessToken" as const), locator, at }),
  fc.record({
    _tag: fc.constant("SaveRefreshToken" as const),
    token: made({ grantId: locator, rotatedAt: maybe(at), successor: maybe(successor), keepUntil: at }, sampleRefreshToken),
  }),
  fc.record({ _tag: fc.constant("RotateRefreshToken" as const), locator, at, successor }),
  fc.record({ _tag: fc.constant("SaveSession" as const), session }),
  fc.record({ _tag: fc.constant("TouchSession" as const), locator, seenAt: at, expiresAt: at, keepUntil: at }),
  fc.record({ _tag: fc.constant("EndSession" as const), locator, at, grants: fc.boolean() }),
  fc.record({ _tag: fc.constant("SaveInteraction" as const), interaction }),
  fc.record({ _tag: fc.constant("ReplaceInteraction" as const), interaction }),
  fc.record({ _tag: fc.constant("SaveDevice" as const), device }),
  fc.record({ _tag: fc.constant("ReplaceDevice" as const), device }),
  fc.record({ _tag: fc.constant("CountAttempt" as const), key: subject, at, resetAt: at }),
  fc.record({
    _tag: fc.constant("ReserveAttempt" as const),
    key: subject,
    at,
    most: fc.constantFrom(1, 2, 3),
    resetAt: at,
    fullUntil: maybe(at),
  }),
  fc.record({ _tag: fc.constant("ReturnAttempt" as const), key: subject, until: at }),
  fc.record({ _tag: fc.constant("ForgetAttempts" as const), key: subject }),
  fc.record({ _tag: fc.constant("UseOnce" as const), key: subject, at, until: at }),
  fc.record({ _tag: fc.constant("SaveConsent" as const), consent, replaces: maybe(at) }),
  fc.record({ _tag: fc.constant("RemoveConsent" as const), subject, clientId }),
)

/** A set of commands to commit, or a moment to sweep at. */
export type Step = { readonly commit: ReadonlyArray<Command> } | { readonly sweep: number }
/** Any step in that world. */
export const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 9, arbitrary: fc.record({ commit: fc.array(command, { maxLength: 4 }) }) },
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
    ]),
  ...orders.map((each) => store.findDeviceByUserCode(`user code ${each}`)),
  ...["ann", "bob"].flatMap((of) => [
    store.findAttempts(of),
    store.grantsOf(of),
    store.sessionsOf(of),
    store.consentsOf(of),
    store.findConsent(of, "one"),
    store.findConsent(of, "two"),
  ]),
]
