import { consumeCode, saveAccessToken, saveCode, saveGrant } from "@postern/core/model"
import { openDatabase, sqliteTokenStore } from "@postern/adapter-sqlite"
import { sampleAccessToken, sampleCode, sampleGrant, sampleLocator, sampleTime } from "@postern/core/testing"

// A process of its own that commits without end: a grant, a code and a token together, then the code's consumption. It says what is done.
const [path = "", first = "0"] = process.argv.slice(2)
const store = sqliteTokenStore(openDatabase(path))
const commit = async (order: number): Promise<void> => {
  const grantId = sampleLocator(order)
  await store.commit([
    saveGrant(sampleGrant(order)),
    saveCode(sampleCode(order, { grantId })),
    saveAccessToken(sampleAccessToken(order, { grantId })),
  ])
  process.stdout.write(`saved ${order}\n`)
  await store.commit([consumeCode(sampleLocator(order), sampleTime, 0)])
  process.stdout.write(`consumed ${order}\n`)
}
for (let order = Number(first); ; order++) {
  await commit(order)
  // Lets what was said out before the next one.
  await new Promise((resolve) => setImmediate(resolve))
}
