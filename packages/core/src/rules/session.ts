import type { Session } from "../model/index.ts"

/** Whether a session still stands: not ended, not run out. */
export const isLive = (session: Session | undefined, now: number): session is Session =>
  session !== undefined && session.endedAt === undefined && now < session.expiresAt
