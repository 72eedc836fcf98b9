import { secretOf } from "@postern/core/model"
import { registeredClient } from "@postern/core/registered"
import { defaultLifetimes } from "@postern/core"
import { authorize, redeem, signedIn } from "../support/flows.ts"
import { logoutRound } from "../support/logouts.ts"
import type { Said, Visitor } from "../support/visitor.ts"
import { type World, type WorldOptions, clients } from "../support/world.ts"
import type { Case } from "./case.ts"

const end = "/connect/endsession"
const back = "https://app.example/out"
const told = "https://other.example/out"

/** A client web that may end sessions by an ID token, or is as it is stated here. */
const web = (more: Record<string, unknown> = {}) => ({
  ...clients.find(({ client_id }) => client_id === "web"),
  client_id: "web",
  end_session_by_hint: true,
  ...more,
})

/** A world with that client, and a client that takes logout tokens. */
const letting = (more: Record<string, unknown> = {}): WorldOptions => ({
  clients: clients.map((each) => {
    if (each.client_id === "web") return web(more)
    return each.client_id === "other" ? { ...each, backchannel_logout_uri: told } : each
  }),
})

const pairwise: WorldOptions = { ...letting({ subject_type: "pairwise" }), more: { pairwiseSalt: secretOf("s".repeat(40)) } }

/** A request for the end of a session, made with an ID token of alice's session at the client web. */
type Asks = (w: World, id_token_hint: string, visitor: Visitor) => Promise<Said>

/** Signs alice in at two clients, asks, and tells how many sessions are left, and who was told. */
const left = async (w: World, ask: Asks): Promise<Said> => {
  const visitor = await signedIn(w)
  const use = async (clientId: string) => {
    const { params } = await authorize(visitor, clientId)
    return String((await redeem(w, params["code"] ?? "", clientId)).json?.["id_token"])
  }
  const idToken = await use("web")
  await use("other")
  const answer = await ask(w, idToken, visitor)
  const sessions = (await w.tokens.sessionsOf("sub-alice")).length
  const { sent } = await logoutRound(w)
  return { ...answer, json: { sessions, told: sent.map(({ url }) => url).join() } }
}

/** A client's server, which has no cookies. */
const byServer: Asks = (w, id_token_hint) => w.visitor().get(end, { id_token_hint })

const ends = (
  title: string,
  ask: Asks = byServer,
  options: WorldOptions = letting(),
  more: Omit<Case["expect"], "json"> = { status: 200, page: { _tag: "SignedOut" } },
): Case => ({
  title,
  rule: undefined,
  options,
  run: (w) => left(w, ask),
  expect: { ...more, json: { sessions: 0, told } },
})

const stays = (title: string, rule: string | undefined, ask: Asks = byServer, options: WorldOptions = letting(), sessions = 1): Case => ({
  title,
  rule,
  options,
  run: (w) => left(w, ask),
  expect: { status: 200, json: { sessions, told: "" } },
})

/** Logout without a cookie, by an ID token: OpenID Connect RP-Initiated Logout 1.0 §2. */
export const cases: ReadonlyArray<Case> = [
  ends("RP-Initiated Logout §2: a client's server ends the session that its ID token names, and the other clients are told"),
  ends(
    "RP-Initiated Logout §3: it may name where to go on, as a browser does",
    (w, id_token_hint) => w.visitor().get(end, { id_token_hint, post_logout_redirect_uri: back, state: "s" }),
    letting(),
    { status: 303, to: back, params: { state: "s" } },
  ),
  ends("RP-Initiated Logout §2: a POST goes on by GET, and ends it then", async (w, id_token_hint) => {
    const server = w.visitor()
    const { params } = await server.post(end, { id_token_hint })
    return server.get(end, params)
  }),
  ends("RP-Initiated Logout §4: an ID token that has expired names its session all the same", (w, idToken, visitor) => {
    w.pass(3 * 3600)
    return byServer(w, idToken, visitor)
  }),
  ends("OpenID Connect Core §8.1: so does that of a pairwise client", byServer, pairwise),
  ends("RP-Initiated Logout §2: and where the browser has a session that has ended", async (w, id_token_hint) => {
    const other = await signedIn(w, "bob")
    const cookies = new Map(other.cookies)
    await other.submit((await other.get("/logout")).page)
    for (const [name, value] of cookies) other.cookies.set(name, value)
    return other.get(end, { id_token_hint })
  }),
  stays(
    "RP-Initiated Logout §2, §6: an ID token of a client that may not ends nothing",
    "end-session.hint-allowed",
    byServer,
    letting({ end_session_by_hint: undefined }),
  ),
  stays(
    "RP-Initiated Logout §6: an ID token of a client that was disabled since ends nothing",
    "end-session.hint-allowed",
    (w, idToken, visitor) => {
      w.clients.set("web", registeredClient(web({ disabled: true }), defaultLifetimes))
      return byServer(w, idToken, visitor)
    },
  ),
  stays(
    "RP-Initiated Logout §2: an ID token of a session that has ended ends none that came after it",
    "end-session.hint-session",
    async (w, idToken, visitor) => {
      await visitor.submit((await visitor.get("/logout")).page)
      await logoutRound(w)
      await signedIn(w)
      return byServer(w, idToken, visitor)
    },
  ),
  stays(
    "RP-Initiated Logout §2: an ID token whose sid is not what the client knows the session by ends nothing",
    "end-session.hint-sid",
    (w, idToken, visitor) => {
      w.clients.set("web", registeredClient(web({ subject_type: "public" }), defaultLifetimes))
      return byServer(w, idToken, visitor)
    },
    pairwise,
  ),
  stays(
    "RP-Initiated Logout §6: in a browser where another person is signed in, that person is asked",
    "end-session.asked",
    async (w, id_token_hint) => (await signedIn(w, "bob")).get(end, { id_token_hint }),
  ),
]
