import type { Person } from "@postern/core"
import { memoryTokenStore } from "@postern/core/memory"
import type { AuthenticatorPort, ClientStorePort, DigestPort, TokenStorePort } from "@postern/core/ports"
import { webDigest, webEntropy } from "@postern/core/webcrypto"
import type { Said } from "../support/visitor.ts"
import { type World, type WorldOptions, password, world } from "../support/world.ts"
import { flows } from "./portFlows.ts"
import type { Flow } from "./portSteps.ts"
import { holdsSecret } from "./ledger.ts"
import type { Row, Run } from "./row.ts"

/** Way in which the n-th call fails. */
export type Manner =
  /** It throws, or rejects later, and nothing was done. */
  | "throws"
  | "rejects"
  /** This call and every one after it rejects. */
  | "all reject"
  /** It was done, and the answer is lost. */
  | "is lost"
  /** A commit that meets a conflict; nothing was done. */
  | "conflicts"
  /** It answers something that its type does not allow; nothing was done. */
  | Garbage

/** An answer of code without types. */
export interface Garbage {
  readonly answers: unknown
}

export const manners: ReadonlyArray<Manner> = ["throws", "rejects", "all reject", "is lost", "conflicts"]

/** A world whose ports fail when told to. */
interface Failing {
  readonly w: World
  /** Starts counting, and makes the n-th call fail; 0 makes none fail. */
  readonly arm: (n: number, manner: Manner) => void
  readonly disarm: () => ReadonlyArray<string>
}

class PortDown extends Error {}

const failingWorld = async (): Promise<Failing> => {
  let armed = false
  let failing = 0
  let manner: Manner = "throws"
  let calls: Array<string> = []
  const guarded = <Port extends object>(port: string, target: Port): Port =>
    Object.fromEntries(
      Object.entries(target).map(([name, run]) => [
        name,
        typeof run !== "function"
          ? (run as unknown)
          : (...args: ReadonlyArray<unknown>): unknown => {
              const go = (): unknown => (run as (...all: ReadonlyArray<unknown>) => unknown)(...args)
              if (!armed) return go()
              calls.push(`${port}.${name}`)
              const later = manner === "all reject" && failing > 0 && calls.length > failing && port !== "entropy"
              if (calls.length !== failing && !later) return go()
              const down = new PortDown("a secret of the port: /var/lib/postern")
              // Chance is drawn at once: it can throw, and nothing else.
              if (port === "entropy" && manner !== "conflicts") throw down
              if (typeof manner === "object") return manner.answers
              switch (manner) {
                case "throws":
                  throw down
                case "rejects":
                case "all reject":
                  return Promise.reject(down)
                case "is lost":
                  return Promise.resolve(go()).then(() => Promise.reject(down))
                case "conflicts":
                  return name === "commit" ? "Conflict" : go()
              }
            },
      ]),
    ) as Port
  const made: { w?: World } = {}
  const find = (subject: string): Person | undefined => made.w?.people.get(subject)
  const authenticator: AuthenticatorPort = {
    find,
    verify: ({ username, password: given }) => {
      const person = find(`sub-${username}`)
      if (person === undefined || given.reveal() !== password) return { _tag: "Rejected", reason: "wrong password" }
      return { _tag: "Verified", person, amr: ["pwd"], acr: undefined }
    },
    admit: () => ({ _tag: "Rejected", reason: "nobody" }),
  }
  const clients: ClientStorePort = {
    find: (clientId) => made.w?.clients.get(clientId),
    verifySecret: (clientId, secret) => secret.reveal() === `secret of ${clientId}`,
    secretOf: () => undefined,
  }
  const digest: DigestPort = guarded("digest", webDigest)
  const options: WorldOptions = {
    tokens: guarded<TokenStorePort>("tokens", memoryTokenStore()),
    signer: (signer) => guarded("signer", signer),
    authenticator: guarded("authenticator", authenticator),
    // The clients of a world are told apart from its other ports; here they fail like those.
    more: { digest, entropy: guarded("entropy", webEntropy()), ...({ clients: guarded("clients", clients) } as object) },
  }
  made.w = await world(options)
  return {
    w: made.w,
    arm: (n, how) => {
      calls = []
      failing = n
      manner = how
      armed = true
    },
    disarm: () => {
      armed = false
      return calls
    },
  }
}

/** An answer that says it cannot now: JSON, a page, or an error sent back to the client; never with anything of worth in it. */
const faultOf = (answer: Said): string | undefined => {
  const { status, json, page, params, header, body } = answer
  if (body.includes("/var/lib/postern") || body.includes("at Object")) return "it tells of the inside"
  if (holdsSecret({ status: 500, text: `${body} ${header("location") ?? ""}` })) return "it holds a token"
  if (params["code"] !== undefined || params["access_token"] !== undefined || params["id_token"] !== undefined)
    return "it holds a code or token"
  if (params["error"] !== undefined)
    return ["server_error", "temporarily_unavailable"].includes(params["error"]) ? undefined : `error=${params["error"]}`
  // Without chance not even a request id can be made: the bare answer of the last resort.
  if (status === 500 && body === "") return undefined
  if (status !== 503 && status !== 500) return `status ${status}`
  if (status === 503 && header("retry-after") === undefined) return "503 without Retry-After"
  const error = json?.["error"] ?? page?.["error"]
  if (error !== "temporarily_unavailable" && error !== "server_error") return `error ${String(error)}`
  return undefined
}

const told = (answer: Said): string => `${answer.status} ${JSON.stringify(answer.params)} ${answer.body.slice(0, 160)}`

/** Runs one flow with its n-th call failing. Answers with what is wrong, and whether there was an n-th call. */
export const failAt = async (
  flow: Flow,
  n: number,
  manner: Manner,
): Promise<{ readonly reached: boolean; readonly calls: ReadonlyArray<string>; readonly wrong: string | undefined }> => {
  const { w, arm, disarm } = await failingWorld()
  const send = await flow.ready(w)
  arm(n, manner)
  const answer = await send()
  const calls = disarm()
  const call = calls[n - 1]
  const reached = call !== undefined
  const wrong = (text: string) => ({
    reached,
    calls,
    wrong: `${flow.name}: call ${n} (${call ?? "none"}) ${typeof manner === "object" ? `answers ${JSON.stringify(manner.answers)}` : manner}: ${text}`,
  })
  const fine = { reached, calls, wrong: undefined }
  if (!reached) return flow.succeeds(answer) ? fine : wrong(`without a failure it is answered ${told(answer)}`)
  if (manner === "conflicts") {
    // A commit that lost a race is decided again, and goes through.
    return flow.succeeds(answer) ? fine : wrong(`after one conflict it is answered ${told(answer)}`)
  }
  const first = flow.succeeds(answer)
  const fault = first ? undefined : faultOf(answer)
  if (typeof manner === "object" && answer.params["error"] === "server_error") return wrong("it is taken for a bug of the provider")
  if (fault !== undefined) return wrong(`${fault}: ${told(answer)}`)
  const expected = call.startsWith("entropy.") ? [500, 503] : [503]
  if (!first && answer.params["error"] === undefined && !expected.includes(answer.status)) return wrong(told(answer))
  const second = await send()
  const again = flow.again ?? flow.succeeds
  // The page that tells of what was done needs chance too: a defect then is no word about what was done.
  const committed = calls.slice(0, n - 1).includes("tokens.commit") && call.startsWith("entropy.")
  const done = first || committed || (manner === "is lost" && call === "tokens.commit")
  const possible = done ? again(second) || (!first && flow.succeeds(second)) : flow.succeeds(second)
  // A flow of several requests may have got to a later page: then asking for the first again is refused in its own words.
  if (!possible && !(done && second.status < 500)) return wrong(`then it is answered ${told(second)}`)
  if (flow.again !== undefined && flow.succeeds(second) && !first) {
    const third = await send()
    if (!flow.again(third)) return wrong(`it works twice: ${told(third)}`)
  }
  return fine
}

/**
 * In the core, every port answers something that its type does not allow, at every call of every flow. Claims may have any members, and
 * chance, digests and durability have cases of their own.
 */
export const garbage = async (values: ReadonlyArray<unknown>): Promise<ReadonlyArray<string>> => {
  const problems: Array<string> = []
  for (const flow of flows) {
    const { calls } = await failAt(flow, 0, "rejects")
    for (const [at, name] of calls.entries()) {
      if (/^(?:entropy|digest)|durable$/.test(name)) continue
      for (const answers of values) {
        if (name === "signer.verify" && typeof answers === "object") continue
        const { wrong } = await failAt(flow, at + 1, { answers })
        if (wrong !== undefined) problems.push(wrong)
      }
    }
  }
  return problems
}

/** R16: in the core, every port call of every flow fails once, in every manner; of those that are no commit, each `step`-th where that is told. */
export const ports = async ({ times, say }: Run, how = manners, step = 1): Promise<Row> => {
  const problems: Array<string> = []
  let cases = 0
  let calls = 0
  for (let round = 0; round < times; round++)
    for (const flow of flows) {
      const { calls: names, wrong: amiss } = await failAt(flow, 0, "rejects")
      if (amiss !== undefined) problems.push(amiss)
      calls += names.length
      for (const manner of how)
        for (const [at, name] of names.entries()) {
          // Only a commit can be done and not be told of, or meet a conflict; elsewhere that is a failure like another.
          if (name !== "tokens.commit" && (manner === "is lost" || manner === "conflicts" || at % step !== 0)) continue
          const { wrong } = await failAt(flow, at + 1, manner)
          if (wrong !== undefined) problems.push(wrong)
          cases++
        }
      say(`${flow.name}: ${cases} cases so far`)
    }
  return {
    fault: "R16",
    done: `the n-th port call fails, for every n of ${flows.length} flows: it throws, rejects, rejects from then on, is done and its answer lost, or conflicts; then the request is sent again`,
    times: cases,
    lost: problems.length,
    figures: { flows: flows.length, "port calls": calls / times },
    problems,
  }
}
