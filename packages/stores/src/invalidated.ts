/** What of a copy goes on being good. */
export interface Kept {
  /** Sessions, grants and their tokens, and consents: only where nothing was written after the copy was taken. */
  readonly sessions: boolean
  /** Consents alone. */
  readonly consents: boolean
}

/** How many of each were made unusable; of grants, sessions and tokens those that were not before. */
export interface Invalidated {
  readonly grants: number
  readonly refreshTokens: number
  readonly referenceTokens: number
  readonly sessions: number
  readonly consents: number
  readonly codes: number
  readonly devices: number
  readonly interactions: number
}
