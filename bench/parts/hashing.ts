import { hash, verify } from "@node-rs/argon2"
import type { Results } from "../results.ts"

const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/** Microseconds of CPU that verifying one password takes, at the cost Postern has. */
export const measureHashing = async (times = 20): Promise<Results["hashing"]> => {
  const hashed = await hash("correct horse battery", cost)
  const before = process.cpuUsage()
  for (let at = 0; at < times; at++) await verify(hashed, "correct horse battery")
  const { user, system } = process.cpuUsage(before)
  return { perHash: (user + system) / times }
}
