import {
  type AuthenticationRequest,
  type RegisteredClientRow,
  authenticationRequests,
  ciba,
  cleanClient,
  defaultFeatures,
  initialAccessTokens,
  metadataDocuments,
  registeredClients,
  registration,
  rowKindsOf,
} from "@postern/core"
import type { TokenStorePort } from "@postern/core/ports"
import {
  type TokenStoreSubject,
  committed,
  conflicts,
  contractCase,
  expectSame,
  rowLifeContract,
  sampleTime,
  wholeLifeContract,
} from "@postern/core/testing"
import { type RowKind, happening, insertion, putting, rowKind } from "@postern/core/model"
import { type Appointment, appointments, booking, cancel } from "../../examples/rows.ts"
import { post } from "./flows.ts"
import { clients, world } from "./world.ts"

/** The features of a provider that keeps appointments. */
export const features = [...defaultFeatures, booking, registration(), ciba(), metadataDocuments()]

/** A row whose members are words of SQL, or called as variables of the commit function are. */
interface Worded {
  readonly order: string
  readonly from?: string | undefined
  readonly select: number
  readonly where?: number | undefined
  readonly user: string
  readonly command: string
  readonly above: string
  readonly ids: string
  readonly limit: number
}

const taken = [["where", "unset"] as const, ["user", "equal", ":user"] as const]

const words = rowKind<Worded>(
  "current_time",
  {
    order: "text",
    from: "text?",
    select: "integer",
    where: "integer?",
    user: "text",
    command: "text",
    above: "text",
    ids: "text",
    limit: "integer",
  },
  {
    key: ["order"],
    unique: ["command"],
    keptUntil: "limit",
    descent: { from: "from", down: ["where"], up: ["limit"] },
    events: {
      SaveWord: insertion,
      PutWord: {
        ways: [
          { when: "absent", change: "insert" },
          { when: [["select", "equal", 1]], change: "replace" },
          { when: [["where", "unset"]], change: [["select", "add", 1]] },
        ],
      },
      CountWord: { ways: [{ when: taken, change: [["select", "max", ":select"]] }] },
      EndWord: { ways: [{ when: [["where", "unset"]], change: [["where", "set", ":at"]] }] },
      KeepWord: { ways: [{ when: [["where", "unset"]], change: [["limit", "max", ":limit"]] }] },
      DropWord: { ways: [{ when: [], change: "remove" }] },
    },
    lists: { all: { all: [["user", "equal", ":user"]], order: [["select", "down"]] } },
  },
)

/** The kinds of row that its stores keep. */
export const kinds = rowKindsOf({ features: [...features, { name: "current", rows: [words] }] })

/** An appointment. */
export const sampleAppointment = (hour: string, told: Partial<Appointment> = {}): Appointment => ({
  hour,
  clientId: "client",
  bookedAt: sampleTime,
  canceledAt: undefined,
  keepUntil: sampleTime + 3600,
  ...told,
})

/** A client that registered itself. */
const sampleRegistered = (clientId: string, told: Partial<RegisteredClientRow> = {}): RegisteredClientRow => ({
  clientId,
  metadata: { client_id: clientId, redirect_uris: ["https://app.example/cb"] },
  policy: {},
  stated: {},
  statement: undefined,
  digest: undefined,
  accessDigest: "digest",
  token: undefined,
  fingerprint: undefined,
  slot: undefined,
  createdAt: sampleTime,
  updatedAt: sampleTime,
  consentsSince: 0,
  version: 0,
  keepUntil: sampleTime + 3600,
  ...told,
})

const sampleInitial = {
  locator: "0000000000000001",
  digest: "digest",
  name: "partners",
  policy: { scope: ["openid"] },
  uses: 0,
  mostUses: 1,
  createdAt: sampleTime,
  expiresAt: 0,
  revokedAt: undefined,
  keepUntil: 0,
}

/** A request that waits for a person. */
const sampleRequest: AuthenticationRequest = {
  locator: "0000000000000009",
  digest: "digest",
  clientId: "till",
  subject: "sub-alice",
  order: 1,
  slot: '["sub-alice",1]',
  scope: ["openid"],
  resources: [],
  bindingMessage: "W4SCT",
  delivery: "poll",
  createdAt: sampleTime,
  expiresAt: sampleTime + 300,
  interval: 5,
  state: "pending",
  version: 0,
  keepUntil: sampleTime + 900,
}

const registered = (row: RegisteredClientRow) => putting(registeredClients, "RegisterClient", row)

/** Everything that a store does with the clients that registered themselves. */
const registrationContract = [
  ...rowLifeContract(registeredClients, sampleRegistered("dcr-1", { fingerprint: "f", slot: "7" })),
  ...rowLifeContract(initialAccessTokens, sampleInitial),
  contractCase<TokenStoreSubject>("a place and a fingerprint belong to one client, until it makes way or is used", async (subject) => {
    const { store } = subject
    const first = sampleRegistered("dcr-1", { fingerprint: "f", slot: "7" })
    const evicted = happening(registeredClients, "EvictClient", { clientId: "dcr-1", slot: "7" })
    await committed(subject, registered(first), registered(sampleRegistered("dcr-0")), registered(sampleRegistered("dcr-00")))
    expectSame(await store.find(registeredClients, { slot: "7" }), first, "the client of the place")
    expectSame(await store.find(registeredClients, { fingerprint: "f" }), first, "the client of the fingerprint")
    await conflicts(subject, registered(sampleRegistered("dcr-2", { slot: "7" })))
    await conflicts(subject, registered(sampleRegistered("dcr-2", { slot: "8", fingerprint: "f" })))
    await committed(subject, evicted, registered(sampleRegistered("dcr-2", { slot: "7", fingerprint: "f" })))
    expectSame(await store.find(registeredClients, { clientId: "dcr-1" }), undefined, "the client that made way")
    await committed(subject, happening(registeredClients, "UseClient", { clientId: "dcr-2", until: sampleTime + 9000 }))
    expectSame((await store.find(registeredClients, { clientId: "dcr-2" }))?.keepUntil, sampleTime + 9000, "how long it is kept")
    expectSame(await store.find(registeredClients, { slot: "7" }), undefined, "the place of a used client")
    await conflicts(subject, happening(registeredClients, "EvictClient", { clientId: "dcr-2", slot: "7" }))
    await committed(subject, registered(sampleRegistered("dcr-3", { slot: "7" })))
    const names = async (list: string) =>
      (await store.list(registeredClients, list, { now: sampleTime + 3600 })).map(({ clientId }) => clientId)
    expectSame(await names("unused"), ["dcr-3"], "clients without a grant")
    expectSame(await names("ended"), ["dcr-0", "dcr-00", "dcr-3"], "clients whose time is over")
    await committed(
      subject,
      cleanClient("dcr-0", sampleTime),
      cleanClient("dcr-3", sampleTime + 3600),
      cleanClient("dcr-2", sampleTime + 3600),
    )
    expectSame(await names("newest"), ["dcr-0", "dcr-00", "dcr-2"], "clients that are left")
  }),
  contractCase<TokenStoreSubject>("RFC 7591 §3: an initial access token has no more uses than it may", async (subject) => {
    const use = happening(initialAccessTokens, "UseInitialAccessToken", { locator: sampleInitial.locator, most: 1 })
    await committed(subject, putting(initialAccessTokens, "SaveInitialAccessToken", sampleInitial))
    await committed(subject, use)
    await conflicts(subject, use, registered(sampleRegistered("dcr-1")))
    expectSame(await subject.store.find(registeredClients, { clientId: "dcr-1" }), undefined, "the client of one use too many")
    expectSame((await subject.store.find(initialAccessTokens, { locator: sampleInitial.locator }))?.uses, 1, "the uses")
  }),
]

const saved = (appointment: Appointment) => putting(appointments, "BookAppointment", appointment)

/** Everything that a store does with the rows of a feature. */
export const appointmentContract = [
  ...rowLifeContract(appointments, sampleAppointment("9")),
  ...registrationContract,
  ...wholeLifeContract(authenticationRequests as RowKind<object>, {
    pending: sampleRequest,
    approved: { ...sampleRequest, state: "approved" },
    denied: { ...sampleRequest, state: "denied" },
    failed: { ...sampleRequest, state: "failed", failure: "The account is closed." },
    consumed: { ...sampleRequest, state: "consumed" },
    expired: { ...sampleRequest, state: "expired" },
  }),
  contractCase<TokenStoreSubject>("CIBA Core §14: of two requests to a person that come at once one is saved", async (subject) => {
    const { store } = subject
    const asked = (row: AuthenticationRequest) => putting(authenticationRequests, "RequestAuthentication", row)
    const second = { ...sampleRequest, locator: "0000000000000010" }
    await committed(subject, asked(sampleRequest))
    await conflicts(subject, asked(second))
    await committed(
      subject,
      asked({ ...second, order: 2, slot: '["sub-alice",2]' }),
      asked({ ...second, locator: "0000000000000011", subject: "sub-bob", slot: '["sub-bob",1]' }),
    )
    const listed = await store.list(authenticationRequests, "ofPerson", { subject: "sub-alice" })
    expectSame(
      listed.map(({ locator }) => locator),
      ["0000000000000010", "0000000000000009"],
      "the requests of the person, newest first",
    )
  }),
  contractCase<TokenStoreSubject>("law 13: a row of a feature is read as it was written, and listed in its order", async (subject) => {
    const { store } = subject
    const [early, late] = [sampleAppointment("08"), sampleAppointment("10")]
    await committed(subject, saved(late), saved(early), saved(sampleAppointment("09", { clientId: "other" })))
    expectSame(await store.find(appointments, { hour: "08" }), early, "the row")
    expectSame(await store.list(appointments, "ofClient", { clientId: "client" }), [early, late], "the list")
    await committed(subject, cancel(early, sampleTime))
    expectSame(await store.list(appointments, "ofClient", { clientId: "client" }), [late], "the list without the canceled one")
  }),
  contractCase<TokenStoreSubject>("law 13: a guard of a feature's event is judged in the commit, whole or not at all", async (subject) => {
    const { store } = subject
    await committed(subject, saved(sampleAppointment("08")))
    await conflicts(subject, saved(sampleAppointment("09")), saved(sampleAppointment("08")))
    await conflicts(subject, cancel(sampleAppointment("08", { clientId: "other" }), sampleTime))
    expectSame(await store.find(appointments, { hour: "09" }), undefined, "what went with the conflict")
  }),
  contractCase<TokenStoreSubject>("law 13: rows of a feature are swept when their time is over", async (subject) => {
    const { store, sweep } = subject
    await committed(subject, saved(sampleAppointment("08")), saved(sampleAppointment("09", { keepUntil: sampleTime + 7200 })))
    for (let more = true; more;) ({ more } = await sweep(sampleTime + 3600))
    expectSame(await store.find(appointments, { hour: "08" }), undefined, "the row that leaves")
    expectSame((await store.find(appointments, { hour: "09" }))?.hour, "09", "the row that stays")
  }),
  contractCase<TokenStoreSubject>("SQL-92 §5.2: tables and columns of a feature may be called as words of SQL are", async (subject) => {
    const { store, sweep } = subject
    const word = (order: string, select = 1, from?: string): Worded => ({
      order,
      select,
      from,
      where: undefined,
      user: "u",
      command: `c ${order}`,
      above: "a",
      ids: "i",
      limit: sampleTime + 60,
    })
    const [first, second, third] = [word("1"), word("2", 2, "1"), word("3", 3, "2")]
    await committed(subject, putting(words, "SaveWord", first), putting(words, "SaveWord", second))
    await committed(subject, putting(words, "PutWord", third), putting(words, "PutWord", { ...first, ids: "j" }))
    await conflicts(subject, putting(words, "SaveWord", { ...word("4"), command: "c 1" }))
    // Neither is a row that would be inserted or replaced: another program may have taken its place since it was seen to be free.
    const taking = putting(words, "PutWord", { ...word("4"), command: "c 1" })
    await conflicts(subject, putting(words, "PutWord", word("5")), taking)
    const beside = [[taking], [happening(words, "CountWord", { order: "1", user: "u", select: 1 })], [taking]]
    expectSame(await Promise.all(beside.map(async (set) => store.commit(set))), ["Conflict", "Committed", "Conflict"], "commits beside it")
    for (const order of ["4", "5"]) expectSame(await store.find(words, { order }), undefined, "what went with the conflict")
    await committed(subject, putting(words, "PutWord", { ...second, user: "u" }))
    await committed(subject, happening(words, "CountWord", { order: "3", user: "u", select: 9 }))
    const listed = async () => (await store.list(words, "all", { user: "u" })).map(({ order, select, ids }) => [order, select, ids])
    expectSame(
      await listed(),
      [
        ["3", 9, "i"],
        ["2", 3, "i"],
        ["1", 1, "j"],
      ],
      "the list",
    )
    expectSame(await store.find(words, { command: "c 2" }), { ...second, select: 3 }, "a row by its secondary key")
    await committed(subject, happening(words, "KeepWord", { order: "3", limit: sampleTime + 90 }))
    expectSame((await store.find(words, { order: "1" }))?.limit, sampleTime + 90, "a change that goes up")
    await committed(subject, happening(words, "EndWord", { order: "1", at: sampleTime }))
    expectSame((await store.find(words, { order: "3" }))?.where, sampleTime, "a change that goes down")
    await sweep(sampleTime + 89)
    expectSame((await listed()).length, 3, "what is kept")
    await committed(subject, happening(words, "DropWord", { order: "2" }))
    expectSame((await listed()).length, 2, "what is left")
  }),
]

/** Answers of a provider on a store: two clients ask for one hour at once, and one of them for it again. */
export const raced = async (tokens: TokenStorePort): Promise<ReadonlyArray<unknown>> => {
  const machine = clients.find(({ client_id }) => client_id === "machine") ?? { client_id: "machine" }
  const w = await world({ tokens, more: { features }, clients: [machine] })
  const ask = () => post(w, "/office/appointments", "machine", { hour: "08" })
  const answers = [...(await Promise.all([ask(), ask()])), await ask()]
  return answers.map(({ status, json }) => JSON.stringify(json?.["error_description"] ?? status)).toSorted((a, b) => a.localeCompare(b))
}
