import type { Results } from "../results.ts"
import { peer } from "../servers/peer.ts"
import { postern } from "../servers/postern.ts"
import { grounded, progress } from "./part.ts"

/** How long a start takes to the first answer: with nothing there, which makes keys and a database, and again with them. In turn. */
export const measureStartup = (starts: number): Promise<Results["startup"]> =>
  grounded(async ({ folder, keep }) => {
    const of = [
      { name: "Postern", start: postern, folder: folder("postern") },
      { name: "oidc-provider", start: peer, folder: folder("peer") },
    ]
    const times = new Map<string, Array<number>>(of.map(({ name }) => [name, []]))
    for (let at = 0; at <= starts; at++)
      for (const { name, start, folder: home } of of) {
        const server = await keep(start({ folder: home }))
        times.get(name)?.push(server.startup)
        await server.stop()
        progress(`start ${at} of ${name}: ${Math.round(server.startup)} ms`)
      }
    return { starts: [...times].map(([server, [first = 0, ...again]]) => ({ server, first, again })) }
  })
