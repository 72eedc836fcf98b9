import { nodeJwts } from "../packages/adapter-http/src/jwts.ts"
import { cpu, figure, figureOf } from "./figures.ts"
import { measureScenarios } from "./parts/scenarios.ts"
import { boundToKey } from "./scenarios/bound.ts"
import { clientCredentials } from "./scenarios/clientCredentials.ts"
import { tokenProof } from "./servers/clients.ts"
import { pinSelf } from "./servers/launch.ts"

// CPU for an ES256 token that is bound to a key, beside one that is not, and for the verification of its proof alone: `node bench/bound.ts`.
// The goal: at most 1.35 times an unbound one, without that verification.

/** CPU of one verification of a proof by a key that was never seen, in microseconds: the least of several tries. */
const verification = async (): Promise<number> => {
  const proofs = Array.from({ length: 2_000 }, () => tokenProof("http://127.0.0.1/connect/token"))
  const jwk = JSON.parse(Buffer.from(proofs[0]?.split(".")[0] ?? "", "base64url").toString()).jwk as Record<string, string>
  const tries: Array<number> = []
  for (let time = 0; time < 7; time++) {
    const before = process.cpuUsage()
    for (const proof of proofs) await nodeJwts.verify(proof, { keys: [{ ...jwk }] }, ["ES256"])
    const { user, system } = process.cpuUsage(before)
    tries.push((user + system) / proofs.length)
  }
  return Math.min(...tries)
}

pinSelf(1)
const unbound = clientCredentials.filter(({ id }) => id === "es256")
const options = { rounds: 9, seconds: 0.5, warmup: 1.2, connections: 16 }
const { scenarios } = await measureScenarios([...unbound, boundToKey, ...unbound, boundToKey], options, {})
const medianOf = (id: string): number =>
  figure(
    scenarios.flatMap((result) => {
      if (result.failed !== undefined) throw new Error(`${result.id}: ${result.failed}`)
      return result.id === id ? (figureOf(result, "Postern", cpu)?.median ?? []) : []
    }),
  ).median
const [plain, bound, verified] = [medianOf("es256"), medianOf("dpop"), await verification()]
process.stdout.write(`ES256, unbound: ${plain.toFixed(1)} µs of CPU
ES256, bound by DPoP: ${bound.toFixed(1)} µs of CPU, ${(bound / plain).toFixed(2)} times
verification of the proof alone: ${verified.toFixed(1)} µs
bound, without that verification: ${((bound - verified) / plain).toFixed(2)} times the unbound one (goal: 1.35)
`)
