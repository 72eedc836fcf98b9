import { quickSigner } from "../properties/quickWorld.ts"
import { request, signIn } from "../support/flows.ts"
import type { Visitor } from "../support/visitor.ts"
import { world } from "../support/world.ts"
import { type Facts, disagreement } from "./answers.ts"
import type { Pairs, Standing } from "./asked.ts"
import type { Kind } from "./kinds.ts"
import { allowed } from "./oracle.ts"

/** Person who asks: nobody signed in; one who signed in a while ago; and one who has also allowed the client everything. */
export type Who = "stranger" | "person" | "willing"

/** A world for one client, in which requests are asked and their answers held against the oracle. */
export interface Bench {
  readonly ask: (who: Who, pairs: Pairs, what?: string, method?: "GET" | "POST") => Promise<void>
  /** Answers that the oracle does not allow, the first of them in full; reading empties the list. */
  readonly disagreements: () => ReadonlyArray<string>
}

/** Count of each expected answer over all benches: by kind of answer, error and page. */
export const tally = new Map<string, number>()
const count = (name: string): void => void tally.set(name, (tally.get(name) ?? 0) + 1)

/** Number of disagreements that are told in full. */
const told = 8
/** Age of people's sign-ins, in seconds. */
const age = 100

/** Makes the world of a kind of client. */
export const bench = async (kind: Kind, rulesOff: ReadonlyArray<string> = []): Promise<Bench> => {
  const w = await world({ clients: kind.client === undefined ? [] : [kind.client], signer: () => quickSigner, rulesOff })
  const alice = w.people.get("sub-alice")
  if (alice === undefined) throw new Error("the world has no alice")
  const willing = { ...alice, subject: "sub-carol", username: "carol" }
  w.people.set(willing.subject, willing)

  const visitors: Readonly<Record<Who, Visitor>> = { stranger: w.visitor(), person: w.visitor(), willing: w.visitor() }
  await signIn(visitors.person)
  await signIn(visitors.willing, willing.username)
  if (kind.client?.require_consent !== false && kind.client?.disabled !== true && kind.client !== undefined)
    await consent(visitors.willing, kind.clientId, kind.redirectUri, kind.client.scope ?? "")
  w.pass(age)
  const standings: Readonly<Record<Who, Standing>> = {
    stranger: { age: undefined, consented: false },
    person: { age, consented: false },
    willing: { age, consented: true },
  }
  const { json } = await visitors.stranger.get("/.well-known/openid-configuration")
  const supported = json?.["response_types_supported"] as ReadonlyArray<string>

  let wrong: Array<string> = []
  const ask: Bench["ask"] = async (who, pairs, what = "", method = "GET") => {
    const expected = allowed({ kind, pairs, standing: standings[who], supported })
    const said = await (method === "GET" ? visitors[who].get("/connect/authorize", pairs) : visitors[who].post("/connect/authorize", pairs))
    w.trails.length = 0
    count("requests")
    for (const each of expected) {
      const open = expected.length > 1 ? "open: " : ""
      count(open + each.answer + (each.answer === "error" ? ` ${each.errors.join("|")}` : each.answer === "ask" ? ` ${each.page}` : ""))
    }
    const facts: Facts = {
      clientId: kind.clientId,
      person: who === "willing" ? willing : alice,
      opaque: kind.client?.access_token_format === "reference",
    }
    const complaints = disagreement(expected, said, facts)
    if (complaints.length === 0) return
    const asked = `${method} by a ${who}: ${pairs.map(([name, value]) => `${name}=${JSON.stringify(value).slice(0, 120)}`).join(" ")}`
    const answered = `${said.status} ${said.header("location")?.slice(0, 500) ?? said.body.slice(0, 500)}`
    wrong.push([what, asked, `answered ${answered}`, `allowed ${JSON.stringify(expected).slice(0, 900)}`, ...complaints].join("\n  "))
  }
  const disagreements = (): ReadonlyArray<string> => {
    const all = wrong
    wrong = []
    return all.length > told ? [...all.slice(0, told), `and ${all.length - told} more`] : all
  }
  return { ask, disagreements }
}

/** Allows a client every scope, as a person would. */
const consent = async (visitor: Visitor, clientId: string, redirectUri: string, scope: string): Promise<void> => {
  const asked = await visitor.get("/connect/authorize", request(clientId, { redirect_uri: redirectUri, scope }))
  const page = await visitor.get(asked.header("location") ?? "")
  const answer = await visitor.submit(page.page, [["decision", "allow"], ...scope.split(" ").map((name) => ["scope", name] as const)])
  if (answer.status !== 303) throw new Error(`no consent: ${answer.status} ${answer.body}`)
}
