import { argon2id, openDatabase, sqliteAuthenticator } from "@postern/adapter-sqlite"
import { sampleTime } from "@postern/core/testing"
import { sampleIdentity } from "./support.ts"

// A process of its own that waits for a line and then admits the same people as the others, in an order of its own.
const [path = "", count = "0", name = "0"] = process.argv.slice(2)
const people = sqliteAuthenticator(openDatabase(path, { busyTimeout: 10_000 }), { hashing: argon2id(), now: () => sampleTime })
process.stdout.write("ready\n")
process.stdin.once("data", () => {
  const admitted: Record<string, string> = {}
  for (let each = 0; each < Number(count); each++) {
    const subject = `theirs-${Number(name) % 2 === 0 ? each : Number(count) - 1 - each}`
    // Everybody would like to be called the same.
    const verification = people.admit(sampleIdentity({ subject, claims: { preferred_username: "sam" } }), undefined)
    if ("_tag" in verification && verification._tag === "Verified") admitted[subject] = verification.person.subject
  }
  process.stdout.write(`${JSON.stringify(admitted)}\n`, () => process.exit(0))
})
