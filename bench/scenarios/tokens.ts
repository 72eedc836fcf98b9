import { type Conversation, getting, membersOf, postingAs, WrongAnswer } from "../load/conversation.ts"
import { hold, measure } from "../load/run.ts"
import type { Server } from "../servers/launch.ts"
import { issuing, oneToken } from "./clientCredentials.ts"
import { gettingAs, userTokens } from "./people.ts"
import { each, type Goal, type Scenario } from "./scenario.ts"

/** Asks for the claims of a token's person. */
export const userinfoOf = (server: Server, token: string): (() => Conversation) => {
  const request = gettingAs(token, server.paths.userinfo)
  return function* () {
    const answer = yield request
    const { sub } = membersOf(answer, "userinfo")
    if (typeof sub !== "string" || sub === "") throw new WrongAnswer("userinfo without sub", answer)
  }
}

const userinfo: Scenario = {
  id: "userinfo",
  title: "userinfo",
  floor: true,
  goal: { peer: 3, floor: 0.45 },
  prepare: async (server, connections) => {
    const tokens = server.bare
      ? await Promise.all(each(connections, () => oneToken(server, "reference")))
      : await userTokens(server, connections)
    return {
      operations: tokens.map((token) => userinfoOf(server, token)),
    }
  },
}

/** Asks whether a token is active, and expects an answer. */
export const introspecting = (server: Server, token: string, expected: boolean): (() => Conversation) => {
  const request = postingAs("api", server.paths.introspection, `token=${token}`)
  return function* () {
    const answer = yield request
    const { active, client_id: clientId } = membersOf(answer, "introspection")
    if (active !== expected || (expected && clientId !== "reference")) throw new WrongAnswer(`not active: ${expected}`, answer)
  }
}

const introspection: Scenario = {
  id: "introspection",
  title: "introspection of a reference token",
  floor: true,
  goal: { peer: 3, floor: 0.45 },
  prepare: async (server, connections) => ({
    operations: await Promise.all(each(connections, async () => introspecting(server, await oneToken(server, "reference"), true))),
  }),
}

const revocation: Scenario = {
  id: "revocation",
  title: "revocation of a reference token",
  floor: true,
  goal: { peer: 5 },
  prepare: async (server, connections) => {
    const live: Array<string> = []
    const revoked: Array<string> = []
    return {
      operations: each(connections, () => () => {
        const token = live.pop()
        if (token === undefined) return undefined
        const request = postingAs("reference", server.paths.revocation, `token=${token}`)
        return (function* (): Conversation {
          const answer = yield request
          if (answer.status !== 200) throw new WrongAnswer("revocation", answer)
          if (revoked.length < connections) revoked.push(token)
        })()
      }),
      refill: async (operations) => {
        let left = operations - live.length
        const issue = each(connections, () => issuing(server, "reference", (token) => live.push(token)))
        const operation = issue.map((next) => () => (left-- > 0 ? next() : undefined))
        if (left > 0) await measure({ places: [server], pids: server.pids, operations: operation, seconds: 600 })
        // In no order that the server could like or dislike.
        for (let at = live.length - 1; at > 0; at--) {
          const other = (at * 7919) % (at + 1)
          ;[live[at], live[other]] = [live[other] ?? "", live[at] ?? ""]
        }
      },
      examine: async () => {
        for (const token of revoked.splice(0)) await hold(server, introspecting(server, token, false)())
      },
    }
  },
}

const device: Scenario = {
  id: "device",
  title: "device flow: start and one poll",
  requests: 2,
  floor: false,
  prepare: async (server, connections) => ({
    operations: each(connections, () => {
      const start = postingAs("tv", server.paths.device, "client_id=tv&scope=openid%20profile%20offline_access")
      return function* (): Conversation {
        const started = yield start
        const { device_code: deviceCode, user_code: userCode } = membersOf(started, "device authorization")
        if (typeof deviceCode !== "string" || typeof userCode !== "string") throw new WrongAnswer("no device code", started)
        const form = `grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Adevice_code&device_code=${deviceCode}`
        const polled = yield postingAs("tv", server.paths.token, form)
        if (membersOf(polled, "a poll", 400)["error"] !== "authorization_pending") throw new WrongAnswer("a poll", polled)
      }
    }),
  }),
}

/** A document that is the same each time. */
const fixed = (id: string, title: string, path: (server: Server) => string, member: string, goal: Goal): Scenario => ({
  id,
  title,
  floor: true,
  goal,
  prepare: async (server, connections) => {
    const request = getting(path(server))
    let whole = ""
    await hold(
      server,
      (function* (): Conversation {
        const answer = yield request
        if (membersOf(answer, title)[member] === undefined) throw new WrongAnswer(title, answer)
        whole = answer.body
      })(),
    )
    return {
      operations: each(
        connections,
        () =>
          function* (): Conversation {
            const answer = yield request
            if (answer.status !== 200 || answer.body !== whole) throw new WrongAnswer(title, answer)
          },
      ),
    }
  },
})

/** Scenarios of tokens and of public documents. */
export const tokens: ReadonlyArray<Scenario> = [
  userinfo,
  introspection,
  device,
  revocation,
  fixed("discovery", "discovery", ({ paths }) => paths.discovery, "issuer", { peer: 2.5, floor: 0.65 }),
  fixed("jwks", "JWKS", ({ paths }) => paths.jwks, "keys", { peer: 1.5, floor: 0.65 }),
]
