import { expect, test } from "vitest"
import { nginxThere } from "../postgres/nginx/nginx.ts"
import { rolling } from "./rolling.ts"

test.skipIf(!nginxThere)(
  "servers behind nginx on one PostgreSQL, restarted and killed in turn under load: nothing acknowledged is lost, nothing is spent twice (R13)",
  async () => {
    const { lost, problems, figures } = await rolling({ times: 3, seed: 3, say: () => undefined }, 16, 2)
    expect(lost, problems.join("\n")).toBe(0)
    // Connections that the kernel took and a starved server has not accepted when it is asked to stop: see docs/reliability.md.
    expect(Number(figures["answers cut by SIGTERM"])).toBeLessThan(3)
    expect(Number(figures["facts looked at"])).toBeGreaterThan(30)
  },
  180_000,
)
