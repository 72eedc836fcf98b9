import type { Composition } from "../features/feature.ts"
import { requestIdHeader } from "../wire/index.ts"
import { onceFor } from "./composition.ts"
import type { Header } from "./headers.ts"

/** CORS headers (Fetch §3.2). */
export interface Cors {
  /** The headers of every answer of an endpoint whose answers other origins may read. */
  readonly answer: ReadonlyArray<Header>
  /** The names of the request headers that other origins may send. */
  readonly allowed: string
}

/** Returns the CORS headers of a composition. */
export const corsOf = onceFor(({ exposedHeaders, allowedHeaders }: Composition): Cors => ({
  answer: [
    ["access-control-allow-origin", "*"],
    ["access-control-expose-headers", [requestIdHeader, "www-authenticate", "retry-after", ...exposedHeaders].join(", ")],
  ],
  allowed: ["authorization", "content-type", ...allowedHeaders].join(", "),
}))
