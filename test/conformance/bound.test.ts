import { spawn } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { type Opening, type Target, knownFrom, overHttp, registrations, requirements, requirementsOf, run } from "@postern/conformance"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { freePort } from "../support/server.ts"

type Sent = Parameters<Target["send"]>[0]
type Received = Awaited<ReturnType<Target["send"]>>

/** A fault of a provider: a change of what is sent to it, or of what it answers; and the requirements that must find it. */
interface Wrong {
  readonly sent?: (sent: Sent) => Sent
  readonly received?: (received: Received) => Received
  readonly found: string
}

const of = ({ sent }: Received, end: string): boolean => new URL(sent.url).pathname.endsWith(end)

const answering = (received: Received, status: number, body: object): Received => ({
  ...received,
  status,
  headers: new Headers({ "content-type": "application/json" }),
  body: JSON.stringify(body),
})

/** Changes the members of a JSON answer of an endpoint. */
const members = (end: string, change: (found: Readonly<Record<string, unknown>>) => object) => (received: Received) =>
  of(received, end) && received.status === 200
    ? answering(received, 200, {
        ...(JSON.parse(received.body) as object),
        ...change(JSON.parse(received.body) as Readonly<Record<string, unknown>>),
      })
    : received

const isRefresh = ({ sent }: Received): boolean => (sent.body ?? "").includes("grant_type=refresh_token")

/** Changes the parameters of authorization requests. */
const asking = (change: (query: URLSearchParams) => void) => (sent: Sent) => {
  const url = new URL(sent.url)
  if (url.pathname.endsWith("/auth")) change(url.searchParams)
  return { ...sent, url: url.href }
}

/** Changes the address that the browser is sent to, where that is a client's. */
const sending = (change: (to: URL) => void) => (received: Received) => {
  const location = received.headers.get("location") ?? ""
  if (!location.startsWith("https://client.")) return received
  const to = new URL(location)
  change(to)
  return { ...received, headers: new Headers({ location: to.href }) }
}

const bearer = (to: string) => (found: Readonly<Record<string, unknown>>) => ("access_token" in found ? { token_type: to } : {})

const wrongs: Readonly<Record<string, Wrong>> = {
  "ignores proofs": {
    sent: ({ headers, ...sent }) => ({ ...sent, headers: Object.fromEntries(Object.entries(headers).filter(([name]) => name !== "dpop")) }),
    found: `dpop.typ dpop.none dpop.signature dpop.private-key dpop.method dpop.address dpop.jti-missing dpop.method-missing dpop.time-missing dpop.old
      dpop.ahead dpop.two dpop.garbage`,
  },
  "calls a token that is bound a bearer's": {
    received: members("/token", () => ({
      access_token: `e30.${Buffer.from(JSON.stringify({ cnf: { jkt: "of-a-key" } })).toString("base64url")}.c2ln`,
      token_type: "Bearer",
    })),
    found: "dpop.token-type",
  },
  "calls every token bound": { received: members("/token", bearer("DPoP")), found: "dpop.bearer" },
  "takes a code with any key": { sent: asking((query) => query.delete("dpop_jkt")), found: "dpop.jkt" },
  "lists a symmetric algorithm": {
    received: members("/openid-configuration", () => ({ dpop_signing_alg_values_supported: ["ES256", "HS256"] })),
    found: "dpop.algorithms",
  },
  "takes every token at userinfo": {
    received: (received) => (of(received, "/me") && received.status !== 200 ? answering(received, 200, { sub: "alice" }) : received),
    found: "dpop.once dpop.userinfo-bearer dpop.userinfo-hash dpop.userinfo-key dpop.userinfo-unproved",
  },
  "takes no bound token at userinfo": {
    received: (received) => (of(received, "/me") ? answering(received, 401, { error: "invalid_token" }) : received),
    found: "dpop.userinfo",
  },
  "takes a refresh token from everybody": {
    received: (received) =>
      isRefresh(received) && received.status !== 200 ? answering(received, 200, { access_token: "a", token_type: "DPoP" }) : received,
    found: "dpop.refresh-key dpop.refresh-unproved",
  },
  "forgets the key at a refresh": {
    received: (received) => (isRefresh(received) ? members("/token", bearer("Bearer"))(received) : received),
    found: "dpop.refresh",
  },
  "answers without a JWT": {
    sent: asking((query) => query.delete("response_mode")),
    found: "jarm.answer jarm.content jarm.alone jarm.error jarm.fragment jarm.form-post",
  },
  "puts every answer into the fragment": {
    received: sending((to) => {
      to.hash = to.search.slice(1)
      to.search = ""
    }),
    found: "jarm.place",
  },
  "signs an answer for a day": {
    received: sending((to) => {
      const [header = "", claims = "", signature = ""] = (to.searchParams.get("response") ?? "").split(".")
      const read = JSON.parse(Buffer.from(claims, "base64url").toString()) as { readonly exp: number }
      const longer = Buffer.from(JSON.stringify({ ...read, exp: read.exp + 86_400 })).toString("base64url")
      to.searchParams.set("response", `${header}.${longer}.${signature}`)
    }),
    found: "jarm.short-lived jarm.answer",
  },
  "fails over a resource at the authorization endpoint": {
    received: (received) =>
      new URL(received.sent.url).searchParams.has("resource") && of(received, "/auth")
        ? {
            ...received,
            status: 303,
            headers: new Headers({
              location: `https://client.conformance.test/callback?error=server_error&state=${new URL(received.sent.url).searchParams.get("state") ?? ""}`,
            }),
          }
        : received,
    found: "resource.unknown resource.fragment",
  },
  "fails over a resource at the token endpoint": {
    received: (received) =>
      (received.sent.body ?? "").includes("resource=") ? answering(received, 500, { error: "server_error" }) : received,
    found: "resource.unknown-at-token",
  },
  "does not say that its answers name it": {
    received: members("/openid-configuration", () => ({ authorization_response_iss_parameter_supported: undefined })),
    found: "discovery.iss-parameter",
  },
  "takes clients by their documents, but none without a secret": {
    received: members("/openid-configuration", () => ({
      client_id_metadata_document_supported: true,
      token_endpoint_auth_methods_supported: ["client_secret_basic"],
    })),
    found: "discovery.documents-none",
  },
}

const isAdded = /^(?:dpop|jarm|resource)\.|^discovery\.(?:iss-parameter|documents-none)$/
const added = requirements.filter(({ id }) => isAdded.test(id))

describe("requirements about bound tokens, signed answers and resources", { timeout: 120_000 }, () => {
  const folder = mkdtempSync(join(tmpdir(), "postern-peer-"))
  let opening: Opening
  let stop = (): void => undefined
  beforeAll(async () => {
    const [port, { clients, file }] = [await freePort(), await registrations("oidc-provider")]
    writeFileSync(join(folder, "clients.json"), JSON.stringify({ clients }))
    const script = fileURLToPath(new URL("peers/oidcProvider.mjs", import.meta.url))
    const peer = spawn(process.execPath, [script, String(port), join(folder, "clients.json")], { stdio: ["ignore", "pipe", "ignore"] })
    stop = () => void peer.kill("SIGKILL")
    await new Promise<void>((resolve, reject) => {
      peer.stdout.setEncoding("utf8").on("data", (text: string) => (text.includes("listening") ? resolve() : undefined))
      peer.once("close", () => reject(new Error("oidc-provider ended")))
    })
    const known = knownFrom({ ...(file as unknown as Parameters<typeof knownFrom>[0]), person: { username: "alice", password: "any" } })
    opening = overHttp({ issuer: `http://127.0.0.1:${port}`, ...known, rate: 1000 })
  }, 60_000)
  afterAll(() => {
    stop()
    rmSync(folder, { recursive: true, force: true })
  })

  it("are met by oidc-provider, as far as its metadata offers it (RFC 9449, JARM, RFC 8707)", async () => {
    const { results } = await run(opening, added)
    const others = results.filter(({ verdict }) => verdict !== "pass")
    expect(others.map(({ requirement, verdict, reason }) => [requirement.id, verdict, reason])).toEqual([
      ["discovery.documents-none", "not applicable", "client_id_metadata_document_supported does not offer true"],
    ])
  })

  it.for(Object.entries(wrongs))(
    "find one that %s",
    async ([, { sent = (same: Sent) => same, received = (same: Received) => same, found }]) => {
      const ids = found.trim().split(/\s+/)
      const altered: Opening = {
        ...opening,
        open: async () => {
          const target = await opening.open()
          return { ...target, send: async (asked) => received({ ...(await target.send(sent(asked))), sent: asked }) }
        },
      }
      const { results } = await run(
        altered,
        added.filter(({ id }) => ids.includes(id)),
      )
      expect(results.map(({ requirement }) => requirement.id).toSorted()).toEqual(ids.toSorted())
      expect(
        results
          .filter(({ verdict }) => verdict !== "fail" && verdict !== "warn")
          .map(({ requirement, verdict, reason }) => [requirement.id, verdict, reason]),
      ).toEqual([])
    },
  )

  it("leave it open where a server decides for the type Bearer (RFC 9449 §5)", async () => {
    const target = await opening.open()
    const send = (asked: Sent) => target.send(wrongs["ignores proofs"]?.sent?.(asked) ?? asked)
    const { results } = await run(
      { ...opening, open: async () => ({ ...target, send }) },
      added.filter(({ id }) => id === "dpop.token-type"),
    )
    expect(results.map(({ verdict, reason }) => [verdict, reason])).toEqual([
      ["inconclusive", "the token is of the type Bearer, as a server may decide, and nothing in it is bound"],
    ])
  })

  it("leave the time of a proof to a server that asks for its own nonce (RFC 9449 §4.3)", async () => {
    const target = await opening.open()
    const send = async (asked: Sent): Promise<Received> => {
      const claims = asked.headers["dpop"]?.split(".")[1]
      if (claims === undefined) return target.send(asked)
      const received = { status: 400, headers: new Headers(), body: "", sent: asked }
      if ("nonce" in (JSON.parse(Buffer.from(claims, "base64url").toString()) as object))
        return answering(received, 200, { access_token: "a", token_type: "DPoP" })
      const answer = answering(received, 400, { error: "use_dpop_nonce" })
      answer.headers.set("dpop-nonce", "of-the-server")
      return answer
    }
    const { results } = await run(
      { ...opening, open: async () => ({ ...target, send }) },
      added.filter(({ id }) => id === "dpop.old" || id === "dpop.ahead"),
    )
    const open = ["inconclusive", "a nonce was asked for, which may tell the proof's time"]
    expect(results.map(({ verdict, reason }) => [verdict, reason])).toEqual([open, open])
  })

  it("are each found by one of these faults", () => {
    const found = new Set(Object.values(wrongs).flatMap((each) => each.found.trim().split(/\s+/)))
    expect(added.map(({ id }) => id).filter((id) => !found.has(id))).toEqual([])
  })

  it.for(["mcp-2026-07-28", "fapi2-2025-02"])("are in the set %s, of which our own provider breaks none", async (name) => {
    const { inProcess } = await import("@postern/conformance")
    const set = requirementsOf(name) ?? []
    expect(set.length).toBeGreaterThan(100)
    const { results } = await run(inProcess(), set, { write: true })
    expect(
      results.filter(({ verdict }) => verdict !== "pass" && verdict !== "not applicable").map(({ requirement }) => requirement.id),
    ).toEqual([])
  })
})
