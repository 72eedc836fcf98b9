/** The parts of a restored copy that remain valid. */
export interface Kept {
  /** Sessions, grants with their tokens, and consents. Only valid if nothing was written after the copy was taken. */
  readonly sessions: boolean
  /** Only consents. */
  readonly consents: boolean
}

/** The number of rows of each kind that were invalidated. Grants, sessions and tokens that were invalid before do not count. */
export interface Invalidated {
  /** Revoked grants. */
  readonly grants: number
  /** Invalidated refresh tokens. */
  readonly refreshTokens: number
  /** Invalidated reference access tokens. */
  readonly referenceTokens: number
  /** Ended sessions. */
  readonly sessions: number
  /** Removed consents. */
  readonly consents: number
  /** Invalidated authorization codes. */
  readonly codes: number
  /** Ended device authorizations. */
  readonly devices: number
  /** Ended interactions. */
  readonly interactions: number
}
