import { posting } from "../load/conversation.ts"
import { assertion } from "../servers/clients.ts"
import { scaled } from "../machine/speed.ts"
import { boundToKey } from "./bound.ts"
import { inBrowser } from "./browserHeaders.ts"
import { boundToCertificate } from "./certificate.ts"
import { clientCredentials, form, issuing, issuingSigned } from "./clientCredentials.ts"
import { people } from "./people.ts"
import type { Goal, Scenario } from "./scenario.ts"

const basic = (id: string): Scenario => {
  const found = [...clientCredentials, ...people].find((each) => each.id === id)
  if (found === undefined) throw new Error(`there is no scenario ${id}`)
  return found
}

/** A scenario of the first table under another condition. */
const under = (id: string, condition: string, words: string, how: Partial<Scenario>, goal: Goal = {}): Scenario => {
  const of = basic(id)
  return { ...of, id: `${id}-${condition}`, title: `${of.title}; ${words}`, floor: false, ...how, goal }
}

const newConnections = ["es256", "reference"].map((id) =>
  under(id, "connection", "a new connection for each", { link: "fresh", floor: true }, { peerCpu: id === "es256" ? 2.2 : 3 }),
)

/** Operations a second on the machine that the figures were first asked for, which are scaled by how fast this one signs. */
const ofTheLoad = [
  { id: "es256", perSecond: 600, goal: { peerCpu: 2 } },
  { id: "refresh", perSecond: 200, goal: { peerCpu: 2.5 } },
  { id: "reference", perSecond: 200, goal: {} },
  { id: "signin", perSecond: 20, goal: {} },
].map(({ id, perSecond, goal }) =>
  under(id, "part", "part load, sent when due", { perSecond: () => scaled(perSecond), connections: 48, floor: id === "es256" }, goal),
)

const manyConnections = ["es256", "refresh"].map((id) => under(id, "64", "64 connections", { connections: 64 }))

const browsers = [
  { id: "es256", goal: { peerCpu: 2.1 } },
  { id: "refresh", goal: { peerCpu: 3.8 } },
  { id: "code", goal: { peerCpu: 4.1 } },
].map(({ id, goal }) =>
  under(
    id,
    "browser",
    "a browser's headers, 1.5 KB of cookies",
    { prepare: async (...of) => inBrowser(await basic(id).prepare(...of)) },
    goal,
  ),
)

const privateKey: Scenario = {
  id: "private-key-jwt",
  title: "client_credentials, JWT ES256; the client signs an assertion with ES256",
  floor: false,
  goal: { peerCpu: 2.2 },
  prepare: (server, connections) =>
    issuingSigned(server, connections, "ES256", (_, use) => {
      const asked = (): string =>
        posting(
          server.paths.token,
          `${form}&client_assertion_type=urn%3Aietf%3Aparams%3Aoauth%3Aclient-assertion-type%3Ajwt-bearer&client_assertion=${assertion(server.issuer)}`,
        )
      return issuing(server, "asserting", use, asked)
    }),
}

const secured = (["tls", "nginx"] as const).flatMap((setting) => {
  const words = setting === "tls" ? "TLS of its own" : "TLS of nginx before it"
  return [
    under("es256", setting, `${words}, kept connections`, { setting }),
    under("es256", `${setting}-resumed`, `${words}, a resumed connection for each`, { setting, link: "resumed" }),
    under("es256", `${setting}-full`, `${words}, a full handshake for each`, { setting, link: "fresh" }),
  ]
})

/** Every scenario of the second table: as deployments meet them, and not as a server likes them best. */
export const conditions: ReadonlyArray<Scenario> = [
  ...newConnections,
  ...ofTheLoad,
  ...manyConnections,
  ...browsers,
  privateKey,
  boundToKey,
  ...secured,
  boundToCertificate,
]
