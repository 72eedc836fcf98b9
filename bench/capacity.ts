import { parseArgs } from "node:util"
import { clusterNeeds } from "./report/capacity.ts"
import { measuredCosts } from "./report/costs.ts"

// Costs of a demand of your own, by the figures that were measured last: node bench/capacity.ts --tokens 5000 --sign-ins 80
const { values } = parseArgs({ options: { tokens: { type: "string", default: "1000" }, "sign-ins": { type: "string", default: "20" } } })
const costs = measuredCosts()
if (costs === undefined) {
  process.stderr.write("Nothing was measured yet: npm run bench -- --write\n")
  process.exitCode = 1
} else process.stdout.write(`${clusterNeeds(costs, [{ tokens: Number(values.tokens), signIns: Number(values["sign-ins"]) }])}\n`)
