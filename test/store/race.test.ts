import { consumeCode, rotateRefreshToken, saveCode, saveGrant, saveRefreshToken, useOnce, uses } from "@postern/core/model"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { describe, expect, it } from "vitest"
import { sqliteTokenStore } from "@postern/adapter-sqlite"
import { joseSigner, defaultKeyPolicy, tendKeys } from "@postern/core/jose"
import { sqliteSigningKeyStore } from "@postern/adapter-sqlite"
import { sampleCode, sampleGrant, sampleLocator, sampleRefreshToken, sampleTime } from "@postern/core/testing"
import { atOnceWith } from "../support/proofs.ts"
import { temporaryDatabase, temporaryPath, temporaryStores } from "./support.ts"

const racers = 3
const count = 150

describe("several connections on one file", () => {
  it("of two connections that consume one code, rotate one refresh token or use one jti, exactly one does (RFC 6749 §4.1.2, RFC 9700 §4.14.2, RFC 7523 §3)", () => {
    const path = temporaryPath()
    const [left, right] = [sqliteTokenStore(temporaryDatabase(path)), sqliteTokenStore(temporaryDatabase(path))]
    void left.commit([saveGrant(sampleGrant(1)), saveCode(sampleCode(2)), saveRefreshToken(sampleRefreshToken(3))])
    const consume = consumeCode(sampleLocator(2), sampleTime, 0)
    const rotate = rotateRefreshToken(sampleLocator(3), sampleTime, { locator: sampleLocator(4), sealed: "" })
    const use = useOnce("jti", sampleTime, sampleTime + 60)
    expect([left.commit([use]), right.commit([use])]).toEqual(["Committed", "Conflict"])
    expect([left.commit([consume]), right.commit([consume])]).toEqual(["Committed", "Conflict"])
    expect([right.commit([rotate]), left.commit([rotate])]).toEqual(["Committed", "Conflict"])
    expect(right.findCode(sampleLocator(2))).toMatchObject({ code: { consumedAt: sampleTime } })
  })

  it.each([false, true])(
    "of 16 requests with one DPoP proof at once, one gets tokens (a writing thread: %s) (RFC 9449 §11.1)",
    async (thread) => {
      const { tokens } = temporaryStores(temporaryPath(), { thread })
      expect(await atOnceWith(tokens)).toEqual(["200", ...Array.from({ length: 15 }, () => "dpop.unused")])
    },
  )

  it("of three processes racing over 150 codes, refresh tokens and jtis, exactly one wins each", async () => {
    const path = temporaryPath()
    const store = sqliteTokenStore(temporaryDatabase(path))
    const orders = Array.from({ length: count }, (_, order) => order)
    void store.commit([
      saveGrant(sampleGrant(1)),
      ...orders.map((order) => saveCode(sampleCode(order))),
      ...orders.map((order) => saveRefreshToken(sampleRefreshToken(order))),
    ])
    const children = Array.from({ length: racers }, (_, name) =>
      spawn(process.execPath, [new URL("racer.ts", import.meta.url).pathname, path, String(count), String(name)], {
        stdio: ["pipe", "pipe", "inherit"],
      }),
    )
    const lines = children.map((child) => createInterface({ input: child.stdout })[Symbol.asyncIterator]())
    await Promise.all(lines.map((line) => line.next()))
    const exits = children.map((child) => once(child, "exit"))
    for (const child of children) child.stdin.write("go\n")
    const won = (await Promise.all(lines.map((line) => line.next()))).map(({ value }) => JSON.parse(String(value)) as ReadonlyArray<string>)
    await Promise.all(exits)
    const all = won.flat()
    expect(all.length).toBe(3 * count)
    expect(new Set(all).size).toBe(3 * count)
    for (const [name, wins] of won.entries()) {
      for (const win of wins) {
        if (win.startsWith("jti")) {
          expect(store.find(uses, { key: win })).toMatchObject({ expiresAt: sampleTime + 60 + name })
          continue
        }
        const locator = sampleLocator(Number(win.split(" ")[1]))
        const row = win.startsWith("code") ? store.findCode(locator) : store.findRefreshToken(locator)
        const at = sampleTime + name
        expect(row).toMatchObject(win.startsWith("code") ? { code: { consumedAt: at } } : { token: { rotatedAt: at } })
      }
    }
  })

  it("two starters on one file agree on one key for each algorithm", async () => {
    const path = temporaryPath()
    const care = () => ({
      store: sqliteSigningKeyStore(temporaryDatabase(path)),
      algorithms: ["ES256", "EdDSA"] as const,
      policy: defaultKeyPolicy,
      encryption: undefined,
      now: () => sampleTime,
    })
    const starters = [care(), care(), care()]
    const added = await Promise.all(starters.map(tendKeys))
    expect(added.flat().length).toBe(2)
    const [first, second] = starters.map(({ store, now }) => joseSigner({ keys: store.list, now }))
    const jwt = (await first?.sign({ alg: "ES256", typ: "JWT", claims: { sub: "ann" } })) ?? ""
    expect(await second?.verify(jwt, "JWT")).toEqual({ sub: "ann" })
  })
})
