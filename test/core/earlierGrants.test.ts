import { type Command, type Grant, grants } from "@postern/core"
import { memoryTokenStore } from "@postern/core/memory"
import type { TokenStorePort } from "@postern/core/ports"
import { describe, expect, it } from "vitest"
import { ask, echoing } from "../cases/extensionGrants.ts"
import { basic, claimsOf, post, refresh } from "../support/flows.ts"
import { type World, beginning, world } from "../support/world.ts"

/** Grants as a version kept them that took the time of an extension grant's making for a sign-in: none says that its sign-in was told. */
const earlier = (): TokenStorePort => {
  const store = memoryTokenStore()
  const asKept = (command: Command): Command => {
    if (command.table !== grants.name || command.row === undefined) return command
    // A command of the table holds a row of it.
    const row = command.row as Grant
    if (row.extension === undefined) return command
    const { signInTold: _, ...extension } = row.extension
    return { ...command, row: { ...row, extension } }
  }
  return { ...store, commit: (commands) => store.commit(commands.map(asKept)) }
}

const introspected = async (w: World, token: unknown) =>
  (await post(w, "/connect/introspect", undefined, { token: String(token) }, { authorization: basic("echo-opaque") })).json

describe("a grant of a version that did not tell a sign-in from the making of a grant (RFC 9068 §2.2.1)", () => {
  const asked = { subject: "sub-alice", scope: ["api.read", "offline_access"], refreshToken: true, signIn: { authTime: beginning - 60 } }

  it.each([
    ["states no sign-in: it is unknown rather than false", earlier, [undefined, undefined, undefined]],
    ["nor does any other lose its own", memoryTokenStore, [beginning - 60, beginning - 60, beginning - 60]],
  ] as const)("%s", async (_, tokens, told) => {
    const w = await world({ ...echoing, tokens: tokens() })
    const first = (await ask(w, asked, {}, "echo-opaque")).json
    const { access_token: renewed } = (await refresh(w, String(first?.["refresh_token"]), "echo-opaque")).json ?? {}
    const derived = await ask(w, { subject: "sub-alice", scope: ["api.read"] }, { origin: String(renewed) })
    const [atFirst, later] = [await introspected(w, first?.["access_token"]), await introspected(w, renewed)]
    expect([atFirst?.["active"], later?.["active"], derived.status]).toEqual([true, true, 200])
    expect([atFirst, later, claimsOf(String(derived.json?.["access_token"]))].map((each) => each?.["auth_time"])).toEqual(told)
  })
})
