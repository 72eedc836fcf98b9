import type { AuditEvent } from "@postern/core/model"
import { memoryTokenStore } from "@postern/core/memory"
import { describe, expect, test } from "vitest"
import { authorize, redeem, signedIn } from "../support/flows.ts"
import { logoutRound } from "../support/logouts.ts"
import { clients, type World, world } from "../support/world.ts"

const letting = clients.map((each) =>
  each.client_id === "web" ? { ...each, end_session_by_hint: true } : { ...each, backchannel_logout_uri: "https://rp.example/out" },
)

const idTokenOf = async (w: World): Promise<string> => {
  const visitor = await signedIn(w)
  for (const id of ["other", "web"]) {
    const { params } = await authorize(visitor, id)
    const { json } = await redeem(w, params["code"] ?? "", id)
    if (id === "web") return String(json?.["id_token"])
  }
  return ""
}

const leave = (w: World, id_token_hint: string) => w.visitor().get("/connect/endsession", { id_token_hint })

describe("a session that a client's server ends by an ID token (RP-Initiated Logout §2)", () => {
  test("the ID token names its session for as long as that lasts, whatever else has expired and been swept", async () => {
    const tokens = memoryTokenStore()
    const w = await world({ clients: letting, tokens })
    const idToken = await idTokenOf(w)
    w.pass(9 * 3600)
    tokens.sweep(w.now())
    await leave(w, idToken)
    expect(await w.tokens.sessionsOf("sub-alice")).toEqual([])
    expect((await logoutRound(w)).sent).toHaveLength(1)
  })

  test("of requests that come together one ends it: each client is told once", async () => {
    const w = await world({ clients: letting })
    const idToken = await idTokenOf(w)
    const answers = await Promise.all(Array.from({ length: 8 }, () => leave(w, idToken)))
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 200))
    await leave(w, idToken)
    expect((await logoutRound(w)).sent).toHaveLength(1)
  })

  test("the audit log tells the person, the client and the session", async () => {
    const audited: Array<AuditEvent> = []
    const audit = { record: (events: () => ReadonlyArray<AuditEvent>) => void audited.push(...events()) }
    const w = await world({ clients: letting, more: { audit } })
    const idToken = await idTokenOf(w)
    const [session] = await w.tokens.sessionsOf("sub-alice")
    await leave(w, idToken)
    expect(audited.filter(({ event }) => event === "sign_out")).toMatchObject([
      { event: "sign_out", subject: "sub-alice", clientId: "web", sessionId: session?.locator, endpoint: "end-session" },
    ])
  })

  test("it sets no cookie: the browser that asks is not the person's", async () => {
    const w = await world({ clients: letting })
    const idToken = await idTokenOf(w)
    expect((await leave(w, idToken)).header("set-cookie")).toBeUndefined()
  })
})
