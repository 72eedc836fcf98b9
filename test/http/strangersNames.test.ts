import { createSocket } from "node:dgram"
import type { AddressInfo } from "node:net"
import { nodeOutbound } from "@postern/adapter-http"
import { afterEach, expect, test } from "vitest"

const running: Array<() => void> = []
afterEach(() => {
  for (const stop of running.splice(0)) stop()
})

/** The name that a query asks for, and the type of its record (RFC 1035 §4.1.2). */
const questionOf = (query: Buffer): { readonly name: string; readonly type: number; readonly end: number } => {
  const labels: Array<string> = []
  let at = 12
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString("latin1", at + 1, at + 1 + length))
    at += 1 + length
  }
  return { name: labels.join("."), type: query.readUInt16BE(at + 1), end: at + 5 }
}

/** An answer with one address, or none (RFC 1035 §4.1.1, §4.1.3). */
const answerTo = (query: Buffer, address: ReadonlyArray<number>): Buffer => {
  const { end } = questionOf(query)
  const count = address.length === 0 ? 0 : 1
  const header = Buffer.from([query[0] ?? 0, query[1] ?? 0, 0x81, 0x80, 0, 1, 0, count, 0, 0, 0, 0])
  const record = count === 0 ? [] : [0xc0, 0x0c, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, ...address]
  return Buffer.concat([header, query.subarray(12, end), Buffer.from(record)])
}

/** A name server that knows the IPv4 address of some names, no other record of them, and of all others says nothing. */
const nameServer = async (known: Readonly<Record<string, ReadonlyArray<number>>>) => {
  const asked = new Set<string>()
  const socket = createSocket("udp4")
  socket.on("message", (query, { port, address }) => {
    const { name, type } = questionOf(query)
    asked.add(name)
    const found = known[name]
    if (found !== undefined) socket.send(answerTo(query, type === 1 ? found : []), port, address)
  })
  await new Promise<void>((bound) => socket.bind(0, "127.0.0.1", bound))
  running.push(() => socket.close())
  // A datagram socket that is bound has an address.
  return { asked, nameServers: [`127.0.0.1:${(socket.address() as AddressInfo).port}`] }
}

/** Names that wait for the system's resolver, which looks up two at a time for the whole process. */
const waitingForSystem = (): number => process.getActiveResourcesInfo().filter((each) => each.startsWith("GetAddrInfo")).length

const stranger = { ofStranger: true, milliseconds: 400 } as const

test("names that strangers chose and whose servers are silent hold up no other name: the system's resolver is not asked for them (Client ID Metadata Document §6.6)", async () => {
  const { asked, nameServers } = await nameServer({})
  const outbound = nodeOutbound({ nameServers })
  const names = Array.from({ length: 30 }, (_, number) => `host${number}.silent.example`)
  const fetches = names.map(async (name) => outbound.fetch(`https://${name}/client`, "application/json", stranger))
  const post = outbound.post?.(
    "https://silent.example/logout",
    { contentType: "text/plain", text: "told", ofStranger: true },
    AbortSignal.timeout(400),
  )
  await expect.poll(() => asked.size).toBe(31)
  expect(waitingForSystem()).toBe(0)
  const late = { _tag: "Unfetched", reason: "not there within 400 ms", isUnreachable: true }
  expect(await Promise.all(fetches)).toEqual(names.map(() => late))
  expect(await post).toMatchObject({ _tag: "Unfetched", isUnreachable: true })
})

test("a name that a stranger chose has the addresses that its server says, of one family or of both", async () => {
  const { nameServers } = await nameServer({ "inside.example": [10, 0, 0, 7], "nowhere.example": [] })
  const outbound = nodeOutbound({ nameServers })
  const reasonOf = async (name: string) => {
    const answer = await outbound.fetch(`https://${name}/client`, "application/json", stranger)
    return answer._tag === "Unfetched" ? answer.reason : answer._tag
  }
  expect(await Promise.all(["inside.example", "nowhere.example"].map(reasonOf))).toEqual([
    "the host has an address that is not public",
    "the connection failed: ENODATA",
  ])
})
