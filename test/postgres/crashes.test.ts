import { expect, test } from "vitest"
import { crashes } from "./crashes.ts"
import { nginxThere } from "./nginx/nginx.ts"

test.skipIf(!nginxThere)(
  "PostgreSQL crashed, killed in part and stopped under load: 503 with Retry-After meanwhile, served again after, nothing acknowledged lost (R1)",
  async () => {
    const { lost, problems, figures } = await crashes({ times: 3, seed: 7, say: () => undefined }, 16)
    expect([lost, problems]).toEqual([0, []])
    expect(Number(figures["facts looked at"])).toBeGreaterThan(30)
    expect(Number(figures["refused with 503"])).toBeGreaterThan(0)
  },
  180_000,
)
