import { type Misbehaving, misbehaviors, startMisbehaving } from "@postern/conformance/misbehave"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { type Sort, openTold, toldClient } from "./notified.ts"

const faults = misbehaviors.filter(({ id }) => id.startsWith("ciba-p"))

/** The mode of the client that meets a fault: two are about clients of the other mode. */
const modeOf = (id: string): "ping" | "push" => {
  if (id.endsWith(".for-push")) return "push"
  return id.endsWith(".for-ping") || id.startsWith("ciba-ping") ? "ping" : "push"
}

const opened = async (sort: Sort) => {
  const client = await openTold(sort)
  const clients = (["ping", "push"] as const).map((mode) => toldClient(mode, mode, `${client.origin}/${mode}`))
  return { client, op: await startMisbehaving({ clients, patience: 100 }) }
}

describe.each(["strict", "credulous"] as const)("notices of CIBA results, at a client that is %s", { timeout: 60_000 }, (sort) => {
  let op: Misbehaving
  let client: Awaited<ReturnType<typeof openTold>>
  beforeAll(async () => {
    ;({ op, client } = await opened(sort))
    // Silence is compared with the requests of the client when all is right.
    for (const mode of ["ping", "push"] as const) await client.ask(op.issuer, mode)
  }, 60_000)
  afterAll(async () => {
    await op?.stop()
    client?.close()
  })

  it.each(faults)("$paragraph: $title ($id)", async ({ id, signIns, positive, level }) => {
    for (let turn = 0; turn < signIns; turn++) {
      await client.ask(op.issuerOf(id), modeOf(id))
      if (turn + 1 < signIns) await new Promise((resolve) => setTimeout(resolve, 200))
    }
    const score = () => op.scores().find(({ misbehavior, client: whose }) => misbehavior.id === id && whose === modeOf(id))
    const right = sort === "strict" && !positive && level !== "MAY" ? "noticed" : "accepted"
    await vi.waitFor(() => expect(score()?.verdict).toBe(right), { timeout: 10_000 })
    // Requests after a notice come soon: a client that has noticed does not go on after all.
    if (right === "noticed") await new Promise((resolve) => setTimeout(resolve, 200))
    expect(score()).toMatchObject({ verdict: right })
    if (sort === "strict") expect(score()).toMatchObject({ right: true })
  })
})
