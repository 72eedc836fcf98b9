// A process that spends values: of each, with a token, in one commit. It prints the number of each that it was told is done, and ends when its input does.
import { kyselyStores } from "@postern/adapter-kysely"
import { saveAccessToken, useOnce } from "@postern/core/model"
import { sampleAccessToken, sampleTime } from "@postern/core/testing"
import { writeSync } from "node:fs"
import { connected } from "./connected.ts"

const [dialect, address = "", first, count, tokensToo] = process.argv.slice(2)
if (dialect !== "mysql" && dialect !== "postgres" && dialect !== "sqlite")
  throw new Error("usage: spender.ts DIALECT ADDRESS FIRST COUNT [tokens]")
const { tokens } = await kyselyStores(connected(dialect, address), { dialect })
writeSync(1, "ready\n")
let next = Number(first)
const end = next + Number(count)
await Promise.all(
  Array.from({ length: 8 }, async () => {
    while (next < end) {
      const mine = next++
      const token = tokensToo === undefined ? [] : [saveAccessToken(sampleAccessToken(mine))]
      const done = await tokens.commit([useOnce(`once ${mine}`, sampleTime, sampleTime + 9), ...token])
      if (done === "Committed") writeSync(1, `${mine}\n`)
    }
  }),
)
process.exit()
