import type { OutboundAnswer } from "@postern/core"
import { authorize, redeem, signedIn } from "../support/flows.ts"
import { answering, logoutRound } from "../support/logouts.ts"
import type { Said } from "../support/visitor.ts"
import { type World, clients } from "../support/world.ts"
import type { Case } from "./case.ts"

const options = {
  clients: clients.map((each) => (each.client_id === "web" ? { ...each, backchannel_logout_uri: "https://web.example/out" } : each)),
}

/** Signs out of two clients, of which one takes logout tokens, and tells how the one attempt to deliver ended. */
const left = async (w: World, answer: OutboundAnswer): Promise<Said> => {
  const visitor = await signedIn(w)
  for (const id of ["web", "other"]) {
    const { params } = await authorize(visitor, id)
    await redeem(w, params["code"] ?? "", id)
  }
  const last = await visitor.submit((await visitor.get("/logout")).page)
  const { sent, outcomes } = await logoutRound(w, () => answer)
  return { ...last, json: { sent: sent.length, outcomes: outcomes.map((each) => each?._tag ?? "Delivered").join() } }
}

const answered = (title: string, rule: string | undefined, answer: OutboundAnswer, outcomes: string): Case => ({
  title,
  rule,
  options,
  run: (w) => left(w, answer),
  expect: { status: 200, json: { sent: 1, outcomes } },
})

/** A world whose policy is that clients are told of sessions that run out, but for those that do not want it. */
const expiring = {
  clients: clients.map((each) => {
    if (each.client_id === "web") return { ...each, backchannel_logout_uri: "https://web.example/out" }
    if (each.client_id !== "other") return each
    return { ...each, backchannel_logout_uri: "https://other.example/out", backchannel_logout_on_expiry: false }
  }),
  more: { settings: { backchannel_logout_on_expiry: true } },
}

/** Uses two clients in a session, lets time pass between and after, and tells how many are told. */
const ranOut = async (w: World, ...seconds: ReadonlyArray<number>): Promise<Said> => {
  const visitor = await signedIn(w)
  for (const pause of [0, ...seconds.slice(0, -1)]) {
    w.pass(pause)
    for (const id of ["web", "other"]) await authorize(visitor, id)
  }
  w.pass(seconds.at(-1) ?? 0)
  await logoutRound(w)
  const { sent } = await logoutRound(w)
  return { ...(await visitor.get("/logout")), json: { sent: sent.length } }
}

/** Logout tokens: OpenID Connect Back-Channel Logout 1.0. */
export const cases: ReadonlyArray<Case> = [
  answered(
    "Back-Channel Logout §2.2, §2.8: the client that takes logout tokens is told, and no other",
    undefined,
    answering(200),
    "Delivered",
  ),
  answered("Back-Channel Logout §2.5: who is not reached is tried again", undefined, { _tag: "Unfetched", reason: "gone" }, "Failed"),
  answered("Back-Channel Logout §2.8, RFC 9110 §15.6: who fails is tried again", undefined, answering(503), "Failed"),
  answered("Back-Channel Logout §2.8: who refuses is not tried again", undefined, answering(400), "Refused"),
  {
    title: "Back-Channel Logout §2.5: a session that runs out has its clients told, but for those that do not want it",
    rule: "logout.session",
    options: expiring,
    run: (w) => ranOut(w, 36_000),
    expect: { status: 200, json: { sent: 1 } },
  },
  {
    title: "Back-Channel Logout §2.5: a session that is used lasts, and nobody is told",
    rule: undefined,
    options: expiring,
    run: (w) => ranOut(w, 30_000, 10_000),
    expect: { status: 200, json: { sent: 0 } },
  },
]
