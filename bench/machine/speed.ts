import { claims } from "../report/claims.ts"
import { generateKeyPairSync, sign } from "node:crypto"

/** Microseconds of CPU of this thread for one run, the least of several tries: what disturbs only adds. */
export const cpuEach = (times: number, run: () => unknown, tries = 5): number => {
  for (let at = 0; at < times / 4; at++) run()
  let least = Number.POSITIVE_INFINITY
  for (let attempt = 0; attempt < tries; attempt++) {
    const before = process.threadCpuUsage()
    for (let at = 0; at < times; at++) run()
    const { user, system } = process.threadCpuUsage(before)
    least = Math.min(least, (user + system) / times)
  }
  return least
}

/** Microseconds of one signature with ES256. */
export const es256Signature = (): number => {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
  const content = Buffer.alloc(400, "a")
  return cpuEach(2000, () => sign("sha256", content, { key: privateKey, dsaEncoding: "ieee-p1363" }))
}

let factor: number | undefined

/** A rate that is for this machine what the given one is for the second machine of docs/performance.md. */
export const scaled = (perSecond: number): number => Math.round(perSecond * (factor ??= claims.second.es256Signature / es256Signature()))
