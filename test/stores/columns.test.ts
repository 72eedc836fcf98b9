import { type RowKind, rowKind, rowKinds, wholeRowKind } from "@postern/core/model"
import fc from "fast-check"
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest"
import { codecOf, columnName, columnsOf, optionalCodecOf, readRow, selectedOf, writeRow } from "../../packages/stores/src/rows/column.ts"
import { kinds } from "../../packages/stores/src/rows/kinds.ts"
import { noticing } from "../../packages/stores/src/noticing.ts"

interface Thing {
  readonly id: string
  readonly holderName: string | undefined
  readonly size: number
  readonly isOpen: boolean
  readonly tags: ReadonlyArray<string>
}

const things = rowKind<Thing>("things", { id: "text", holderName: "text?", size: "integer", isOpen: "flag", tags: "json" }, { key: ["id"] })

describe("columns", () => {
  test("a member is kept under its name in small letters, and a row is read as it was written, whatever it holds", () => {
    expect(["id", "clientId", "aBC"].map(columnName)).toEqual(["id", "client_id", "a_b_c"])
    expect(columnsOf(things)).toEqual(["id", "holder_name", "size", "is_open", "tags"])
    const row = fc.record(
      {
        id: fc.string(),
        holderName: fc.option(fc.string(), { nil: undefined }),
        size: fc.integer(),
        isOpen: fc.boolean(),
        tags: fc.array(fc.string()),
      },
      { noNullPrototype: true },
    )
    const [write, read] = [writeRow(things), readRow(things)]
    fc.assert(
      fc.property(row, (each) => {
        const stored = write(each)
        for (const value of stored) expect(value === null || ["string", "number"].includes(typeof value)).toBe(true)
        expect(read(stored)).toStrictEqual(each)
      }),
    )
    expect(write({ id: "a", size: 1, isOpen: 1, tags: [] })).toEqual(["a", null, 1, 0, "[]"])
    expect(read(["a"])).toMatchObject({ id: "a", holderName: undefined })
  })

  test("a row that is kept whole is read from its content alone, with the members that JSON leaves out", () => {
    const whole = wholeRowKind<{ readonly id: string; readonly more?: string | undefined }>(
      "wholes",
      { id: "text" },
      { key: ["id"], mayLack: ["more"] },
    )
    expect([columnsOf(whole), selectedOf(whole), selectedOf(things)]).toEqual([["id", "content"], ["content"], columnsOf(things)])
    expect(writeRow(whole)({ id: "a", more: "b" })).toEqual(["a", '{"id":"a","more":"b"}'])
    expect(readRow(whole)(['{"id":"a"}'])).toStrictEqual({ id: "a", more: undefined })
    expect(readRow(whole)(['{"id":"a","more":"b"}'])).toEqual({ id: "a", more: "b" })
  })

  test("a value that may be absent is NULL then, and a kind of column that there is none of is a defect", () => {
    for (const kind of ["text", "integer", "flag", "json"] as const) {
      const codec = optionalCodecOf(kind)
      expect(codec).toBe(optionalCodecOf(`${kind}?`))
      expect([codec.write(undefined), codec.write(null), codec.read(null)]).toEqual([null, null, undefined])
    }
    expect([optionalCodecOf("flag").write(false), optionalCodecOf("integer").write(0), optionalCodecOf("text").write("")]).toEqual([
      0,
      0,
      "",
    ])
    expect([codecOf("text").read(5), codecOf("integer").read("5"), codecOf("flag").read(1), codecOf("flag").read(0)]).toEqual([
      "5",
      5,
      true,
      false,
    ])
    expect(() => codecOf("number" as never)).toThrow("no column is of the kind number")
  })

  test("every kind of row of the stores has its key among its columns", () => {
    for (const { key, columns } of [...Object.values(kinds), ...rowKinds] as ReadonlyArray<RowKind>)
      expect(Object.keys(columns)).toEqual(expect.arrayContaining([...key]))
    expect(Object.values(kinds).map(({ name }) => name)).toEqual(["clients", "users", "identities", "signing_keys"])
  })
})

describe("noticing what others changed", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["performance"] }))
  afterEach(() => void vi.useRealTimers())

  test("it looks at once, and again a quarter of a second later at the earliest", () => {
    let looks = 0
    const notice = noticing(() => void looks++)
    for (let each = 0; each < 3; each++) expect(notice()).toBeUndefined()
    expect(looks).toBe(1)
    vi.advanceTimersByTime(249)
    notice()
    expect(looks).toBe(1)
    vi.advanceTimersByTime(1)
    notice()
    expect(looks).toBe(2)
  })

  test("whoever asks while a look is under way waits for it; the time counts from its beginning, and one that fails is made again", async () => {
    const ends: Array<{ readonly resolve: () => void; readonly reject: (error: unknown) => void }> = []
    const notice = noticing(() => new Promise<void>((resolve, reject) => ends.push({ resolve, reject })))
    const [first, second] = [notice(), notice()]
    expect([first !== undefined, first === second, ends.length]).toEqual([true, true, 1])
    vi.advanceTimersByTime(100)
    ends[0]?.resolve()
    await first
    expect(notice()).toBeUndefined()
    vi.advanceTimersByTime(150)
    const third = notice()
    expect(third).toBeDefined()
    ends[1]?.reject(new Error("away"))
    await expect(third).rejects.toThrow("away")
    expect(notice(), "at once").toBeDefined()
    expect(ends.length).toBe(3)
  })
})
