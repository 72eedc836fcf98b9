import { readFileSync } from "node:fs"
import { request } from "node:http"
import { fileURLToPath } from "node:url"
import {
  type Misbehaving,
  type MisbehavingOptions,
  ScriptRefused,
  highestNth,
  longestScript,
  misbehaviorOf,
  misbehaviors,
  numbers,
  presets,
  scriptOf,
  startMisbehaving,
} from "@postern/conformance/misbehave"
import { Ajv } from "ajv"
import { decodeJwt } from "jose"
import { describe, expect, it, onTestFinished } from "vitest"
import { openChoice } from "../../packages/conformance/src/misbehave/choice.ts"
import { Surfer } from "../support/surfer.ts"
import { outcomes } from "./misbehaveOutcomes.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))
const redirect_uri = "https://app.example/cb"
const client = {
  client_id: "app",
  client_secret: "secret-of-the-app",
  redirect_uris: [redirect_uri],
  require_pkce: false,
  require_consent: false,
  grant_types: ["authorization_code", "refresh_token"],
  scope: "openid email offline_access",
}

const opened = async (options: Partial<MisbehavingOptions>): Promise<Misbehaving> => {
  const op = await startMisbehaving({ clients: [client], ...options })
  onTestFinished(() => op.stop())
  return op
}

type Fields = Readonly<Record<string, string>>
const authorization = `Basic ${Buffer.from("app:secret-of-the-app").toString("base64")}`

const callback = (op: Misbehaving, more: Fields = {}): Promise<URL> => {
  const asked = {
    client_id: "app",
    redirect_uri,
    response_type: "code",
    scope: "openid offline_access",
    nonce: "n-1",
    state: "s-1",
    ...more,
  }
  return new Surfer().authorize(`${op.issuer}/connect/authorize?${new URLSearchParams(asked).toString()}`, "alice", "alice")
}

const tokenAt = (op: Misbehaving, fields: Fields, headers: Fields = {}): Promise<Response> =>
  fetch(`${op.issuer}/connect/token`, { method: "POST", headers: { authorization, ...headers }, body: new URLSearchParams(fields) })

const redeemed = async (op: Misbehaving, back: URL, headers: Fields = {}): Promise<Fields> => {
  const code = back.searchParams.get("code") ?? ""
  return (await (await tokenAt(op, { grant_type: "authorization_code", code, redirect_uri }, headers)).json()) as Fields
}

const nonceOf = ({ id_token = "" }: Fields): unknown => decodeJwt(id_token)["nonce"]

describe("the table of 99 faults", () => {
  it("has a row for each number, with faults of the catalog or the reason why there is none", () => {
    expect(Object.keys(numbers).map(Number)).toEqual(Array.from({ length: 99 }, (_, index) => index + 1))
    const rows = Object.values(numbers)
    const ids = rows.flatMap((row) => (typeof row === "string" ? [] : row))
    expect(rows.filter((row) => row.length === 0)).toEqual([])
    expect(ids.filter((id) => misbehaviorOf(id) === undefined)).toEqual([])
    expect(misbehaviors.map(({ id }) => id).filter((id) => !ids.includes(id))).toEqual([])
  })

  it("waits for nothing any more", () => {
    expect(Object.values(numbers).filter((row) => typeof row === "string")).toEqual([])
  })

  it("stands in docs/testing.md as it is", () => {
    const page = readFileSync(`${root}/docs/testing.md`, "utf8")
    const rows = Object.entries(numbers).map(
      ([number, row]) => `| ${number} | ${typeof row === "string" ? row : row.map((id) => `\`${id}\``).join(", ")} |`,
    )
    expect(rows.filter((row) => !page.includes(row))).toEqual([])
  })
})

describe("the table of clients", () => {
  it("has a row in docs/testing.md for each fault after which one went on, with all of them", () => {
    const page = readFileSync(`${root}/docs/testing.md`, "utf8")
    const rows = misbehaviors.flatMap(({ id, level, paragraph }) => {
      const clients = Object.keys(outcomes).filter((name) => outcomes[name]?.wentOn.includes(id) === true)
      return clients.length === 0 ? [] : [`| \`${id}\` | ${level}, ${paragraph} | ${clients.join("; ")} |`]
    })
    expect(rows.length).toBeGreaterThan(20)
    expect(rows.filter((row) => !page.includes(row))).toEqual([])
    expect(page.match(/^\| `[a-z.-]+[a-z0-9-]*` \| (?:MUST|SHOULD), /gm)).toHaveLength(rows.length)
  })
})

describe("what chooses a fault", { timeout: 60_000 }, () => {
  it("the header Postern-Fault chooses for one request, and none of the others", async () => {
    const op = await opened({})
    expect(nonceOf(await redeemed(op, await callback(op), { "postern-fault": "id-token.nonce-wrong" }))).toBe("another nonce")
    expect(nonceOf(await redeemed(op, await callback(op)))).toBe("n-1")
    const metadata = await fetch(`${op.issuer}/.well-known/openid-configuration`, { headers: { "postern-fault": "metadata.issuer-slash" } })
    expect(await metadata.json()).toMatchObject({ issuer: `${op.issuer}/` })
  })

  it("two sign-ins of one client at the same time each get their own fault", async () => {
    const op = await opened({})
    const [wrong, right] = await Promise.all([
      callback(op, { state: "s-wrong", acr_values: "fault:id-token.nonce-wrong" }),
      callback(op, { state: "s-right" }),
    ])
    expect([nonceOf(await redeemed(op, right)), nonceOf(await redeemed(op, wrong))]).toEqual(["n-1", "another nonce"])
  })

  it("a sign-in at an issuer with a fault for all can be asked to be right (fault:none)", async () => {
    const op = await opened({ faults: ["id-token.nonce-wrong"] })
    expect(nonceOf(await redeemed(op, await callback(op)))).toBe("another nonce")
    expect(nonceOf(await redeemed(op, await callback(op, { acr_values: "fault:none" })))).toBe("n-1")
  })

  it.each<readonly [title: string, id: string, query: Fields, headers: Fields]>([
    ["a misspelt header", "keys.emtpy", {}, { "postern-fault": "keys.emtpy" }],
    ["a header with two ids", "token.empty, keys.empty", {}, { "postern-fault": "token.empty, keys.empty" }],
    ["acr_values with an id that there is not", "nonsense", { acr_values: "high fault:nonsense" }, {}],
    ["acr_values with more than an id", "token.empty!", { acr_values: "fault:token.empty!" }, {}],
    ["a fault that is not on offer", "keys.empty", { acr_values: "fault:keys.empty" }, {}],
    ["a second fault that there is not", "nonsense", { acr_values: "fault:token.empty fault:nonsense" }, {}],
  ])("RFC 9110 §15.5.1: %s is refused, and not taken for right", async (_, id, query, headers) => {
    const op = await opened({ faults: ["token.empty"] })
    const asked = new URLSearchParams({ client_id: "app", redirect_uri, response_type: "code", scope: "openid", ...query }).toString()
    const answers = [
      await fetch(`${op.issuer}/connect/authorize?${asked}`, { headers, redirect: "manual" }),
      await fetch(`${op.issuer}/connect/par`, { method: "POST", headers: { authorization, ...headers }, body: new URLSearchParams(asked) }),
    ]
    for (const answer of answers) {
      expect(answer.status).toBe(400)
      const text = await answer.text()
      expect([text.includes(`"${id}"`), text.includes("not on offer")]).toEqual([true, true])
    }
  })

  it("offers the faults that a client or a script is given, beside those that are named", async () => {
    const script = [{ on: "refresh", nth: 2, fault: "refresh.answer-lost" }] as const
    const op = await opened({ faults: ["token.empty"], byClient: { app: "id-token.nonce-wrong" }, script })
    expect(op.offered.map(({ id }) => id)).toEqual(["token.empty", "id-token.nonce-wrong", "refresh.answer-lost"])
    expect(nonceOf(await redeemed(op, await callback(op)))).toBe("another nonce")
  })

  it("refuses a choice by a client that there is not, and a seed that nothing is drawn by", async () => {
    await expect(opened({ byClient: { nobody: "token.empty" } })).rejects.toThrow('there is no client "nobody"')
    const script = [{ on: "refresh", nth: 2, fault: "refresh.answer-lost", client: "nobody" }] as const
    await expect(opened({ script })).rejects.toThrow('the client "nobody"')
    await expect(opened({ seed: 7 })).rejects.toThrow("a seed only applies to the preset chaos")
  })

  it("a script loses the answer to the second refresh, and the old token is good once more (RFC 6749 §6)", async () => {
    const op = await opened({ script: [{ on: "refresh", nth: 2, fault: "refresh.answer-lost" }] })
    const refresh = (token = "") => tokenAt(op, { grant_type: "refresh_token", refresh_token: token })
    const first = (await (await refresh((await redeemed(op, await callback(op)))["refresh_token"])).json()) as Fields
    await expect(refresh(first["refresh_token"])).rejects.toThrow("fetch failed")
    expect((await refresh(first["refresh_token"])).status).toBe(200)
    const score = op.scores().find(({ misbehavior }) => misbehavior.id === "refresh.answer-lost")
    expect(score).toMatchObject({ verdict: "accepted", because: "it went on with a request (refresh again)" })
  })
})

describe("a script", () => {
  const valid = new Ajv().compile(JSON.parse(readFileSync(`${root}/packages/conformance/schema/script.schema.json`, "utf8")) as object)
  const line = { on: "refresh", nth: 2, fault: "refresh.answer-lost" }

  it("is read as its published schema says", () => {
    for (const script of [[], [line], [{ ...line, client: "app" }]]) {
      expect(valid(script)).toBe(true)
      expect(scriptOf(script, misbehaviorOf)).toMatchObject(script)
    }
  })

  it.each<readonly [title: string, script: unknown, message: string]>([
    ["that is no list", line, "is a list"],
    ["of too many lines", Array.from({ length: longestScript + 1 }, () => line), "100 lines at most"],
    ["with an unknown answer", [{ ...line, on: "logout" }], 'needs "on"'],
    ["with the zeroth answer", [{ ...line, nth: 0 }], 'needs "nth"'],
    ["with an answer far away", [{ ...line, nth: highestNth + 1 }], 'needs "nth"'],
    ["without a fault", [{ on: "refresh", nth: 1 }], 'needs "fault"'],
    ["with another member", [{ ...line, times: 2 }], '"times"'],
    ["with a client that is a number", [{ ...line, client: 7 }], '"client"'],
  ])("%s is refused, by its schema too", (_, script, message) => {
    expect(() => scriptOf(script, misbehaviorOf)).toThrow(ScriptRefused)
    expect(() => scriptOf(script, misbehaviorOf)).toThrow(message)
    expect(valid(script)).toBe(false)
  })

  it("has faults of the answer that it names alone", () => {
    expect(() => scriptOf([{ ...line, on: "token" }], misbehaviorOf)).toThrow("refresh.answer-lost, which is of refresh, not of token")
  })
})

describe("the presets", { timeout: 60_000 }, () => {
  it.each(Object.entries(presets))("%s names faults of the catalog, each once", (_, ids) => {
    expect(ids.filter((id) => misbehaviorOf(id) === undefined)).toEqual([])
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids.length).toBeGreaterThan(20)
  })

  it("offers a preset's faults and those that are named beside it", async () => {
    const op = await opened({ faults: ["mcp", "device.pending"] })
    expect(op.offered.map(({ id }) => id)).toEqual([...presets.mcp, "device.pending"])
    expect(op.seed).toBeUndefined()
  })

  it("chaos draws the same faults again by the same seed, and others by another one", async () => {
    const drawn = async (seed?: number) => {
      const op = await opened({ faults: ["chaos"], seed, patience: 20 })
      for (let turn = 0; turn < 6; turn++)
        await callback(op, { state: `s-${turn}` })
          .then(
            (back) => redeemed(op, back),
            () => undefined,
          )
          .catch(() => undefined)
      return {
        seed: op.seed,
        reached: op
          .scores()
          .filter(({ because }) => !because.includes("never got"))
          .map(({ misbehavior }) => misbehavior.id),
      }
    }
    const first = await drawn(7)
    expect(first.reached.length).toBeGreaterThan(0)
    expect(await drawn(7)).toEqual(first)
    expect(await drawn(8)).not.toEqual({ ...first, seed: 8 })
    expect((await drawn()).seed).toEqual(expect.any(Number))
  })
})

describe("chaos", () => {
  it("draws the same by a seed whatever is named beside it, and only faults of one sign-in", () => {
    const drawn = (...faults: ReadonlyArray<string>) => {
      const { chosen } = openChoice({ faults, seed: 7 })
      return Array.from({ length: 40 }, () => chosen({ client: "app", begins: true })?.id)
    }
    const alone = drawn("chaos")
    expect(new Set(alone).size).toBeGreaterThan(20)
    expect(drawn("chaos", "mcp")).toEqual(alone)
    expect(drawn("device.pending", "chaos")).toEqual(alone)
  })
})

describe("the scoreboard's forms", { timeout: 60_000 }, () => {
  const post = (op: Misbehaving, path: string, body: string, type = "application/x-www-form-urlencoded") =>
    fetch(`${op.issuer}${path}`, { method: "POST", redirect: "manual", headers: { "content-type": type }, body })

  it("take a person's word for what the client showed, with the token that the page has alone", async () => {
    const op = await opened({ faults: ["userinfo.sub-other"] })
    const tokens = await redeemed(op, await callback(op))
    await fetch(`${op.issuer}/connect/userinfo`, { headers: { authorization: `Bearer ${tokens["access_token"]}` } })
    expect(op.scores()).toMatchObject([{ verdict: "not reached" }])
    const forged = new URLSearchParams({ client: "app", fault: "userinfo.sub-other", answer: "yes", csrf: "guessed" })
    expect((await post(op, "/told", forged.toString())).status).toBe(403)
    // As long as the token in letters, and longer in bytes.
    forged.set("csrf", "\u00e9".repeat(32))
    expect((await post(op, "/told", forged.toString())).status).toBe(403)
    expect(op.scores()).toMatchObject([{ verdict: "not reached" }])

    const surfer = new Surfer()
    const page = await (await surfer.go(op.scoreboard)).text()
    const back = await surfer.submit(page, op.scoreboard, { answer: "yes" })
    expect(back.response.status).toBe(200)
    expect(op.scores()).toMatchObject([{ verdict: "accepted", because: "the person was signed in", right: false }])
    expect(await back.response.text()).toContain('<td class="wrong">accepted</td>')
  })

  it("take a script's word as JSON, and answer with the report", async () => {
    const op = await opened({ faults: ["token.empty"] })
    const told = (more: object) =>
      post(op, "/told", JSON.stringify({ client: "app", fault: "token.empty", signedIn: false, ...more }), "application/json")
    expect((await told({})).status).toBe(204)
    const refused = await told({ fault: "no-such" })
    expect([refused.status, await refused.text()]).toEqual([400, 'no fault "no-such": it is not on offer\n'])
    expect((await told({ fault: "keys.empty" })).status).toBe(400)
    expect((await told({ client: "nobody" })).status).toBe(400)
    expect((await post(op, "/told", "x".repeat(20_000))).status).toBe(413)
    expect((await fetch(`${op.issuer}/told`)).status).toBe(405)
    expect(await (await fetch(`${op.issuer}/report.json`)).json()).toMatchObject({ set: "misbehave", counts: { skip: 1 } })
  })

  it.each<readonly [title: string, body: object]>([
    ["without an answer", { client: "app", fault: "userinfo.sub-other" }],
    ["with a misspelt one", { client: "app", fault: "userinfo.sub-other", signedin: true }],
    ["with an answer that is a text", { client: "app", fault: "userinfo.sub-other", signedIn: "true" }],
    ["with another member", { client: "app", fault: "userinfo.sub-other", signedIn: true, sure: true }],
    ["that is a list", []],
  ])("a script's word %s is refused, and writes no verdict", async (_, body) => {
    const op = await opened({ faults: ["userinfo.sub-other"] })
    const tokens = await redeemed(op, await callback(op))
    await fetch(`${op.issuer}/connect/userinfo`, { headers: { authorization: `Bearer ${tokens["access_token"]}` } })
    const refused = await post(op, "/told", JSON.stringify(body), "application/json")
    expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining("signedIn (true or false)")])
    expect(op.scores()).toMatchObject([{ verdict: "not reached" }])
  })

  it("a form without yes or no is refused, and signing out takes a client alone", async () => {
    const op = await opened({ faults: ["userinfo.sub-other"] })
    const csrf = /name="csrf" value="([^"]+)"/.exec(await (await fetch(op.scoreboard)).text())?.[1] ?? ""
    const form = (more: Fields) => new URLSearchParams({ csrf, client: "app", fault: "userinfo.sub-other", ...more }).toString()
    expect((await post(op, "/told", form({}))).status).toBe(400)
    expect((await post(op, "/told", form({ answer: "maybe" }))).status).toBe(400)
    expect((await post(op, "/told", form({ answer: "no" }))).status).toBe(303)
    expect((await post(op, "/sign-out", JSON.stringify({ client: "app", fault: "x" }), "application/json")).status).toBe(400)
  })

  it.each(["/", "/report.json", "/.well-known/openid-configuration", "/f/userinfo.sub-other/connect/authorize"])(
    "RFC 9110 §15.5.20: %s is not read by a name elsewhere that was made to point here",
    async (path) => {
      const op = await opened({ faults: ["userinfo.sub-other"] })
      const asked = (host: string) =>
        new Promise<readonly [status: number | undefined, text: string]>((resolve, reject) => {
          const sent = request(`${op.issuer}${path}`, { headers: { host } }, (answer) => {
            let text = ""
            answer.setEncoding("utf8").on("data", (part: string) => (text += part))
            answer.on("end", () => resolve([answer.statusCode, text]))
          })
          sent.on("error", reject).end()
        })
      expect(await asked("evil.example")).toEqual([421, "the Host is neither the issuer's nor this machine's\n"])
      expect((await asked("127.0.0.1.evil.example"))[0]).toBe(421)
      expect((await asked(`localhost:${new URL(op.issuer).port}`))[0]).not.toBe(421)
    },
  )
})
