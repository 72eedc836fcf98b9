/** Something that a provider sent to a client by POST. */
export interface Posted {
  readonly contentType: string
  readonly authorization: string | undefined
  readonly body: string
}

/** An answer at the address of a client's document. */
export interface Published {
  readonly status: number
  readonly contentType: string
  readonly body: string
  /** The address that the answer leads to; none when not given. */
  readonly location?: string | undefined
}

/** A place where clients publish documents. */
export interface Publisher {
  /** The origin of the addresses. */
  readonly origin: string
  /** Publishes an answer at a path; another one there is replaced. */
  readonly publish: (path: string, published: Published) => void
}
