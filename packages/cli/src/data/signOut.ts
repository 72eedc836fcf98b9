import type { TokenStorePort } from "@postern/core/ports"
import type { Command } from "@postern/core/model"
import { failed } from "../failure.ts"

const now = (): number => Math.floor(Date.now() / 1000)

/** Ends every session of a person and revokes every grant, with the codes and tokens made from it. How many live sessions there were. */
export const signOutEverywhere = async (tokens: Pick<TokenStorePort, "sessionsOf" | "commit">, subject: string): Promise<number> => {
  const at = now()
  const ended = new Set<string>()
  let live = 0
  // The store lists so many at a time; what was ended it lists no more.
  for (;;) {
    const sessions = (await tokens.sessionsOf(subject)).filter(({ locator }) => !ended.has(locator))
    const ends = sessions.map(({ locator }): Command => ({ _tag: "EndSession", locator, at, grants: true }))
    const revoke: Command = { _tag: "RevokeGrants", subject, clientId: undefined, sessionId: undefined, at }
    // Neither has a guard that could fail.
    if ((await tokens.commit([...ends, revoke])) !== "Committed") throw failed("the sessions were not ended", "try again")
    if (sessions.length === 0) return live
    for (const { locator, expiresAt } of sessions) {
      ended.add(locator)
      if (expiresAt > at) live++
    }
  }
}
