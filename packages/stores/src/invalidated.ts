/** The parts of a copy that remain valid. */
export interface Kept {
  /** Sessions, grants and their tokens, and consents: only where nothing was written after the copy was taken. */
  readonly sessions: boolean
  /** Consents alone. */
  readonly consents: boolean
}

/** Number of rows of each kind that were made unusable; of grants, sessions and tokens those that were not before. */
export interface Invalidated {
  /** Grants that were revoked. */
  readonly grants: number
  /** Refresh tokens that ended. */
  readonly refreshTokens: number
  /** Reference access tokens that ended. */
  readonly referenceTokens: number
  /** Sessions that ended. */
  readonly sessions: number
  /** Consents that were removed. */
  readonly consents: number
  /** Authorization codes that ended. */
  readonly codes: number
  /** Device authorizations that ended. */
  readonly devices: number
  /** Waiting requests that ended. */
  readonly interactions: number
}
