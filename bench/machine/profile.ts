import { generateKeyPairSync, hash, type KeyObject, randomBytes, sign, verify } from "node:crypto"
import { closeSync, fdatasyncSync, openSync, writeSync } from "node:fs"
import { join } from "node:path"
import { measureHashing } from "../parts/hashing.ts"
import { grounded } from "../parts/part.ts"
import type { MachineResult } from "../results.ts"
import { measureSockets } from "./sockets.ts"
import { cpuEach, es256Signature } from "./speed.ts"
import { threadRoundTrip } from "./threads.ts"

const content = Buffer.alloc(400, "a")

/** Costs of this machine that every server on it has: ratios between servers are small where these are large. */
export const profileMachine = (): Promise<MachineResult> =>
  grounded(async ({ folder, atEnd }) => {
    const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 })
    const ec = generateKeyPairSync("ec", { namedCurve: "P-256" })
    const ed = generateKeyPairSync("ed25519")
    const { perHash } = await measureHashing(10)
    const sockets = await measureSockets(atEnd)
    return {
      costs: [
        { id: "rs256-sign", title: "RS256 signature, 2,048 bits", cpu: signing(rsa.privateKey, "sha256", 200) },
        { id: "rs256-verify", title: "its verification", cpu: verifying(rsa, "sha256", 2000) },
        { id: "es256-sign", title: "ES256 signature", cpu: es256Signature() },
        { id: "es256-verify", title: "its verification", cpu: verifying(ec, "sha256", 1000) },
        { id: "eddsa-sign", title: "EdDSA signature, Ed25519", cpu: signing(ed.privateKey, null, 1500) },
        { id: "eddsa-verify", title: "its verification", cpu: verifying(ed, null, 800) },
        { id: "sha256", title: "SHA-256 of a handle", cpu: cpuEach(50_000, () => hash("sha256", "a".repeat(43), "base64url")) },
        { id: "argon2id", title: "argon2id, 19 MiB, twice", cpu: perHash },
        ...synced(folder("fsync")),
        ...sockets,
        { id: "thread", title: "a thread woken, and its answer", ...(await threadRoundTrip()) },
      ],
    }
  })

const signing = (key: KeyObject, digest: string | null, times: number): number => cpuEach(times, () => sign(digest, content, key))

const verifying = (
  { privateKey, publicKey }: { readonly privateKey: KeyObject; readonly publicKey: KeyObject },
  digest: string | null,
  times: number,
): number => {
  const signature = sign(digest, content, privateKey)
  return cpuEach(times, () => verify(digest, content, publicKey, signature))
}

/** 4 KB appended and made durable, in the folder that the benchmark's databases are in. */
const synced = (home: string): MachineResult["costs"] => {
  const file = openSync(join(home, "log"), "w")
  const page = randomBytes(4096)
  const walls: Array<number> = []
  const cpu = cpuEach(
    200,
    () => {
      const before = performance.now()
      writeSync(file, page)
      fdatasyncSync(file)
      walls.push((performance.now() - before) * 1000)
    },
    3,
  )
  closeSync(file)
  const [middle = 0, late = 0] = [0.5, 0.95].map((part) => walls.sort((left, right) => left - right)[Math.floor(walls.length * part)])
  return [{ id: "fsync", title: `4 KB appended and synced (95 % within ${late.toFixed(0)} µs)`, cpu, wall: middle }]
}
