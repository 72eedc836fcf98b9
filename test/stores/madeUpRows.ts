import { type Command, type RowKind, happening, putting, rowKind, rowKinds, wholeRowKind } from "@postern/core/model"
import type { TokenStorePort } from "@postern/core/ports"
import fc from "fast-check"

// Tables of no feature, with everything that a description may say: each store that interprets descriptions must come to what the model in memory does.

interface Desk {
  readonly floor: string
  readonly number: number
  readonly owner: string | undefined
  readonly isOpen: boolean
  readonly things: ReadonlyArray<string>
  readonly uses: number
  readonly until: number
}

/** Rows with every guard, every change and a composite key. */
export const desks = rowKind<Desk>(
  "model_desks",
  { floor: "text", number: "integer", owner: "text?", isOpen: "flag", things: "json", uses: "integer", until: "integer" },
  {
    key: ["floor", "number"],
    keptUntil: "until",
    endless: true,
    events: {
      SetUp: { ways: [{ when: "absent", change: "insert" }] },
      Refit: {
        ways: [
          { when: "absent", change: "insert" },
          { when: [["owner", "unset"]], change: "replace" },
        ],
      },
      // A count of its own where the row is new or closed, and one more where it is not.
      Visit: {
        ways: [
          { when: "absent", change: "insert" },
          {
            when: [["until", "atMost", ":now"]],
            change: [
              ["uses", "set", 1],
              ["until", "set", ":until"],
            ],
          },
          { when: [["uses", "below", ":most"]], change: [["uses", "add", 1]] },
        ],
      },
      Take: {
        ways: [
          {
            when: [
              ["owner", "unset"],
              ["uses", "above", 0],
            ],
            change: [["owner", "set", ":who"]],
          },
        ],
      },
      Move: {
        ways: [
          {
            when: [
              ["owner", "set"],
              ["things", "contains", "lamp"],
            ],
            change: [["owner", "setIfGiven", ":who"]],
          },
        ],
        otherwise: "nothing",
      },
      Leave: { ways: [{ when: [["owner", "equal", ":who"]], change: [["owner", "unset"]] }] },
      Extend: { ways: [{ when: [], change: [["until", "max", ":until"]] }] },
      Remove: { ways: [{ when: [["owner", "is", "o'hara"]], change: "remove" }] },
      Look: { ways: [{ when: [["owner", "set"]], change: "nothing" }] },
      CloseFloor: {
        by: { floor: ":floor", owner: ":who?", isOpen: true },
        ways: [{ when: [["uses", "above", 1]], change: [["uses", "add", -1]] }],
        otherwise: "nothing",
      },
    },
    lists: {
      onFloor: { all: [["floor", "equal", ":floor"]], order: [["number", "up"]] },
      wanted: {
        all: [["uses", "above", 0]],
        any: [
          ["owner", "unset"],
          ["things", "contains", "lamp"],
        ],
        order: [
          ["uses", "down"],
          ["floor", "up"],
          ["number", "down"],
        ],
      },
    },
  },
)

/** A row that descends from another. */
export interface Branch {
  readonly name: string
  readonly number: number
  readonly above: string | undefined
  readonly cut: number | undefined
  readonly seen: number
}

/** Rows that descend from each other. */
export const branches = rowKind<Branch>(
  "model_branches",
  { name: "text", number: "integer", above: "text?", cut: "integer?", seen: "integer" },
  {
    key: ["name"],
    unique: ["number"],
    descent: { from: "above", down: ["cut"], up: ["seen"] },
    events: {
      Grow: { ways: [{ when: "absent", change: "insert" }] },
      Cut: { ways: [{ when: [["cut", "unset"]], change: [["cut", "set", ":at"]] }], otherwise: "nothing" },
      See: { ways: [{ when: [], change: [["seen", "max", ":at"]] }] },
      Burn: { ways: [{ when: [["cut", "set"]], change: "remove" }] },
    },
    lists: { all: { all: [], order: [["name", "up"]] } },
  },
)

interface Note {
  readonly id: string
  readonly version: number
  readonly text: string
  readonly more?: string | undefined
}

/** Rows that are kept whole. */
export const notes = wholeRowKind<Note>(
  "model_notes",
  { id: "text", version: "integer" },
  {
    key: ["id"],
    mayLack: ["more"],
    events: {
      Write: {
        ways: [
          { when: "absent", change: "insert" },
          { when: [["version", "below", ":version"]], change: "replace" },
        ],
      },
      Drop: { ways: [{ when: [["version", "equal", ":version"]], change: "remove" }] },
    },
  },
)

/** Every table of these. */
export const own: ReadonlyArray<RowKind> = [desks, branches, notes]
/** Those of core and these. */
export const kinds = [...rowKinds, ...own]

const floor = fc.constantFrom("one", "two")
const number = fc.integer({ min: 1, max: 2 })
const who = fc.constantFrom("ann", "o'hara")
/** Times at which desks are over; 0 is never. */
export const until = fc.oneof(fc.constant(0), fc.integer({ min: 10, max: 20 }))
const desk = fc
  .record({
    floor,
    number,
    owner: fc.option(who, { nil: undefined }),
    isOpen: fc.boolean(),
    things: fc.subarray(["lamp", "chair", 'a "quoted" one']),
    uses: fc.integer({ min: 0, max: 3 }),
    until,
  })
  .map((row) => ({ ...row }))
const key = { floor, number }
const name = fc.constantFrom("a", "b", "c", "d")
const at = fc.integer({ min: 1, max: 9 })
const happens = (kind: RowKind, event: string, given: Readonly<Record<string, fc.Arbitrary<unknown>>>): fc.Arbitrary<Command> =>
  fc.record(given).map((values) => happening(kind as never, event, values as never))

/** Anything that may happen to such rows. */
export const command: fc.Arbitrary<Command> = fc.oneof(
  desk.map((row) => putting(desks, "SetUp", row)),
  desk.map((row) => putting(desks, "Refit", row)),
  fc
    .record({ row: desk, now: fc.integer({ min: 0, max: 20 }), until, most: number })
    .map(({ row, ...given }) => putting(desks, "Visit", row, given)),
  happens(desks, "Take", { ...key, who }),
  happens(desks, "Move", { ...key, who: fc.option(who, { nil: undefined }) }),
  happens(desks, "Leave", { ...key, who }),
  happens(desks, "Extend", { ...key, until }),
  happens(desks, "Remove", key),
  happens(desks, "Look", key),
  happens(desks, "CloseFloor", { floor, who: fc.option(who, { nil: undefined }) }),
  fc
    .record({ name, number: fc.integer({ min: 1, max: 5 }), above: fc.option(name, { nil: undefined }), seen: at })
    .map((told) => putting(branches, "Grow", { ...told, cut: undefined })),
  happens(branches, "Cut", { name, at }),
  happens(branches, "See", { name, at }),
  happens(branches, "Burn", { name }),
  fc
    .record({ id: name, version: number, text: fc.string(), more: fc.string() })
    .map((row) => putting(notes, "Write", { ...row }, { version: row.version })),
  fc
    .record({ id: name, version: number, text: fc.string(), more: fc.constant(undefined) })
    .map((row) => putting(notes, "Write", { ...row }, { version: row.version })),
  happens(notes, "Drop", { id: name, version: number }),
)

/** Every row, as each way of reading answers it. */
export const state = (store: TokenStorePort): unknown => [
  ["one", "two"].map((each) => store.list(desks, "onFloor", { floor: each })),
  store.list(desks, "wanted", {}),
  ["one", "two"].flatMap((each) => [1, 2].map((at) => store.find(desks, { floor: each, number: at }))),
  store.list(branches, "all", {}),
  [1, 2, 3, 4, 5].map((each) => store.find(branches, { number: each })),
  ["a", "b", "c", "d"].map((each) => store.find(notes, { id: each })),
]
