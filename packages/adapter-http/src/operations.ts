import type { IncomingMessage } from "node:http"
import type { Awaitable } from "@postern/core/ports"
import type { Answer } from "@postern/core/wire"
import { isLocal } from "./address.ts"
import type { FileAnswer } from "./answer.ts"
import { assetAnswer } from "./assetAnswer.ts"
import type { Asset } from "./pages/assets.ts"

/** Answers requests for one of the server's own paths, outside the protocol. */
export type OwnPath = (incoming: IncomingMessage) => Awaitable<Answer | FileAnswer>

/** Dependencies of `ownPaths`. */
export interface OwnPathMeans {
  readonly basePath: string
  readonly assets: ReadonlyArray<Asset>
  /** Checks the provider's dependencies; false or a throw means not ready. */
  readonly ready: () => Awaitable<unknown>
  readonly draining: () => boolean
  /** Returns the metrics in Prometheus' text format. */
  readonly readMetrics: () => Promise<string>
  /** Access to metrics: everybody (true), nobody (false), or callers on this machine (undefined). */
  readonly metrics: boolean | undefined
  /** Reports the proxy headers that reached the server; undefined if disabled. */
  readonly proxyReport: ((incoming: IncomingMessage) => Answer) | undefined
}

/** The maximum time of a readiness check, in milliseconds. */
const longestCheck = 2_000

const text = (status: number, contentType: string, body: string): Answer => ({
  status,
  headers: [
    ["content-type", contentType],
    ["cache-control", "no-store"],
  ],
  body,
})

const health = (status: number, word: string): Answer => text(status, "application/json", JSON.stringify({ status: word }))

/** Maps the exact paths of assets, health and metrics to their handlers. */
export const ownPaths = ({
  basePath,
  assets,
  ready,
  draining,
  readMetrics,
  metrics,
  proxyReport,
}: OwnPathMeans): ReadonlyMap<string, OwnPath> => {
  const isReady = async (): Promise<boolean> => {
    try {
      return !draining() && (await within(longestCheck, ready())) !== false
    } catch {
      return false
    }
  }
  return new Map<string, OwnPath>([
    ...assets.map(
      (each) =>
        [
          `${basePath}/assets/${encodeURIComponent(each.name)}`,
          (incoming: IncomingMessage) => assetAnswer(each, incoming.headers["if-none-match"]),
        ] as const,
    ),
    ...(proxyReport === undefined ? [] : ([["/health/proxy", proxyReport]] as const)),
    ["/health/live", () => health(200, "live")],
    ["/health/ready", async () => ((await isReady()) ? health(200, "ready") : health(503, "unavailable"))],
    [
      "/metrics",
      async ({ socket, headers }) =>
        (metrics ?? isLocal(socket.remoteAddress, headers))
          ? text(200, "text/plain; version=0.0.4; charset=utf-8", await readMetrics())
          : text(404, "text/plain; charset=utf-8", ""),
    ],
  ])
}

const within = async <A>(milliseconds: number, value: Awaitable<A>): Promise<A> => {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("the check took too long")), milliseconds)
  })
  try {
    return await Promise.race([value, late])
  } finally {
    clearTimeout(timer)
  }
}
