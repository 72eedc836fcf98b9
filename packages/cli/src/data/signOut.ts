import type { TokenStorePort } from "@postern/core/ports"
import { revokeGrants, signOut } from "@postern/core/model"
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
    const ends = sessions.flatMap(({ locator }) => signOut(locator, at))
    const revoke = revokeGrants({ subject }, at)
    // Neither has a guard that could fail.
    if ((await tokens.commit([...ends, revoke])) !== "Committed") throw failed("the sessions were not ended", "try again")
    if (sessions.length === 0) return live
    for (const { locator, expiresAt } of sessions) {
      ended.add(locator)
      if (expiresAt > at) live++
    }
  }
}
