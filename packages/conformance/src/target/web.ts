/** A message that a provider posted to a client. */
export interface Posted {
  readonly contentType: string
  readonly authorization: string | undefined
  readonly body: string
}

/** The response at the URL of a client's document. */
export interface Published {
  readonly status: number
  readonly contentType: string
  readonly body: string
  /** The target of a redirect; none by default. */
  readonly location?: string | undefined
}

/** A server for clients' documents. */
export interface Publisher {
  /** The origin of the addresses. */
  readonly origin: string
  /** Publishes a response at a path. It replaces an earlier one. */
  readonly publish: (path: string, published: Published) => void
}
