import type { Conversation } from "../load/conversation.ts"
import type { Results } from "../results.ts"
import { asking } from "../scenarios/clientCredentials.ts"
import { membersOf, WrongAnswer } from "../load/conversation.ts"
import { type DeclaredClient, many, manyAt } from "../servers/clients.ts"
import { freePort } from "../servers/launch.ts"
import { peer } from "../servers/peer.ts"
import { postern, usualClients } from "../servers/postern.ts"
import { grounded, progress } from "./part.ts"

const field = [
  { name: "Postern", start: postern, token: "/connect/token" },
  { name: "oidc-provider", start: peer, token: "/token" },
]

/** Measures a start up to the first answer: with an empty folder, which makes keys and a database, and again with them. In turn. */
export const measureStartup = (starts: number, sizes: ReadonlyArray<number>): Promise<Results["startup"]> =>
  grounded(async ({ folder, keep }) => {
    const of = await Promise.all(field.map(async (each) => ({ ...each, folder: folder(each.name), port: await freePort() })))
    const times = new Map<string, Array<number>>(of.map(({ name }) => [name, []]))
    for (let at = 0; at <= starts; at++)
      for (const { name, start, folder: home, port } of of) {
        const server = await keep(start({ folder: home, port }))
        times.get(name)?.push(server.startup)
        await server.stop()
        progress(`start ${at} of ${name}: ${Math.round(server.startup)} ms`)
      }
    // On a port of its own: from start to start an operator's file says the same.
    const tokens = await Promise.all(
      sizes.flatMap((clients) =>
        field.map(async (each) => ({
          ...each,
          clients,
          folder: folder(`${each.name}-${clients}`),
          port: await freePort(),
          again: [] as Array<number>,
        })),
      ),
    )
    for (let at = 0; at <= starts; at++)
      for (const { name, start, token, clients, folder: home, port, again } of tokens) {
        const server = await keep(start({ folder: home, port, clients: declared(clients), first: firstToken(token, clients) }))
        // The first start makes the keys, the database and its rows.
        if (at > 0) again.push(server.startup)
        await server.stop()
        progress(`start ${at} of ${name} with ${clients} clients: ${Math.round(server.startup)} ms to a token`)
      }
    return {
      starts: [...times].map(([server, [first = 0, ...again]]) => ({ server, first, again })),
      tokens: tokens.map(({ name, clients, again }) => ({ server: name, clients, again })),
    }
  })

/** So many clients in all, the last of which asks. */
const declared = (count: number): ReadonlyArray<DeclaredClient> => [...usualClients.slice(0, 4), ...many(count - 4)]

/** The last of so many clients asks for a token. */
const firstToken = (path: string, count: number) =>
  function* (): Conversation {
    const answer = yield asking(path, manyAt(count - 5))
    if (typeof membersOf(answer, "a first token")["access_token"] !== "string") throw new WrongAnswer("a first token", answer)
  }
