import { consumeCode, rotateRefreshToken, useOnce } from "@postern/core/model"
import { openDatabase, sqliteTokenStore } from "@postern/adapter-sqlite"
import { sampleLocator, sampleTime } from "@postern/core/testing"

// A process of its own that waits for a line and then tries to consume every code, rotate every refresh token and use every `jti`, in an order of its own.
const [path = "", count = "0", name = "0"] = process.argv.slice(2)
const store = sqliteTokenStore(openDatabase(path, { busyTimeout: 10_000, synchronous: "NORMAL" }))
process.stdout.write("ready\n")
process.stdin.once("data", () => {
  const won: Array<string> = []
  for (let each = 0; each < Number(count); each++) {
    const order = Number(name) % 2 === 0 ? each : Number(count) - 1 - each
    const locator = sampleLocator(order)
    const at = sampleTime + Number(name)
    const consumed = store.commit([consumeCode(locator, at, 0)])
    if (consumed === "Committed") won.push(`code ${order}`)
    const rotated = store.commit([rotateRefreshToken(locator, at, { locator, sealed: name })])
    if (rotated === "Committed") won.push(`token ${order}`)
    const used = store.commit([useOnce(`jti ${order}`, at, sampleTime + 60 + Number(name))])
    if (used === "Committed") won.push(`jti ${order}`)
  }
  process.stdout.write(`${JSON.stringify(won)}\n`, () => process.exit(0))
})
