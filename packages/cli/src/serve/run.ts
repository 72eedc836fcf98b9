import { defaultLimits, jsonLog, type Served, serveProvider, shareOfLimits, type TicketSecret } from "@postern/adapter-http"
import type { createProvider } from "@postern/core"
import type { TrailPort } from "@postern/core/ports"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Setup } from "../config/setup.ts"
import { attempt } from "../action.ts"
import type { Failed, Misused } from "../failure.ts"
import { mostFiles, withinFiles } from "./files.ts"
import { keepHeapSmall, startWithoutMarking } from "./heap.ts"
import { listenFailure } from "./listenFailure.ts"
import { yieldToAnswers } from "./priority.ts"
import type { Reloadable } from "./reload.ts"
import { hashesWaiting } from "./readings.ts"
import { type Agreed, bindProvider, type BoundProvider, type WorkerPart } from "./provider.ts"
import { keepStartedCode } from "./startedCode.ts"
import { withTestResource } from "./testResource.ts"

/** A running provider. */
export interface RunningProvider
  extends
    Agreed,
    Reloadable,
    Pick<Served, "url" | "mutualTlsUrl" | "replace" | "takeCertificate" | "readMetrics">,
    Pick<BoundProvider, "renew"> {
  readonly setup: Setup
}

/** The URLs at which a server listens. */
export type Listening = Pick<Served, "url" | "mutualTlsUrl">

/** The role of a worker that listens. */
export interface ServingWorker extends WorkerPart {
  /** Called when the server listens. */
  readonly listens: (at: Listening) => void
  /** Returns the secret of TLS session tickets that all workers share. Only the first call returns it; later ones create a new secret. */
  readonly tickets: () => TicketSecret
  /** Reads the metrics of all processes of the server. */
  readonly metricsOfAll: () => Promise<string>
}

/**
 * The time for which a stopping worker still accepts connections, in milliseconds. The main process hands over accepted connections one at
 * a time.
 */
const handover = 100

/** Runs the provider of a setup until the scope ends. Then it stops listening, lets requests in progress finish, and closes the stores. */
export const runProvider = (
  setup: Setup,
  around: (trails: TrailPort) => TrailPort,
  worker?: ServingWorker,
  create?: typeof createProvider,
): Effect.Effect<RunningProvider, Failed | Misused, Scope.Scope> =>
  Effect.gen(function* () {
    const { listen, tls, mutualTls, certificateProxies, proxyCheck, trustedProxies, metrics } = setup
    const log = jsonLog({ level: setup.logLevel })
    const files = mostFiles()
    const usual = worker === undefined ? defaultLimits : shareOfLimits(defaultLimits, worker.workers)
    const limits = withinFiles(usual, files)
    if (limits !== usual) log.line("warn", "few files", { files, connections: limits.connections })
    const binding = attempt(() => bindProvider(setup, log, around, worker, create))
    const { provider, pages, stores, trails, readings, growing, agree, agrees, renew, renewCare } = yield* Effect.acquireRelease(
      binding,
      ({ close }) => Effect.promise(close),
    )
    const { url, mutualTlsUrl, replace, takeCertificate, readMetrics } = yield* serveProvider({
      provider: withTestResource(setup, provider),
      pages,
      listen,
      ...(tls === undefined ? {} : { tls }),
      ...(mutualTls === undefined ? {} : { mutualTls }),
      ...(certificateProxies === undefined ? {} : { certificateProxies }),
      proxyCheck,
      trustedProxies,
      ...(metrics === undefined ? {} : { metrics }),
      ready: async () => agrees() && stores.failing() === undefined && (await stores.keys.list()).length > 0,
      waiting: () => hashesWaiting(stores),
      readings,
      growing,
      log,
      trails,
      limits,
      ...(worker && {
        tickets: worker.tickets,
        stopTimes: { accept: handover },
        metricsOfAll: worker.metricsOfAll,
      }),
    }).pipe(Effect.catch(({ cause }) => listenFailure(cause, setup)))
    startWithoutMarking()
    worker?.listens({ url, mutualTlsUrl })
    const { clients, people } = yield* attempt(agree)
    keepHeapSmall()
    yield* Effect.promise(yieldToAnswers)
    keepStartedCode()
    const takeUp: RunningProvider["takeUp"] = async (next) => {
      const { declare, ...made } = await renew(next)
      const agreed = await declare()
      replace({ ...made, provider: withTestResource({ ...next, settings: setup.settings }, made.provider) })
      renewCare(next)
      log.setLevel(next.logLevel)
      return { ...agreed, certificate: next.tls !== undefined && takeCertificate(next.tls) }
    }
    return { setup, log, url, mutualTlsUrl, clients, people, renew, replace, takeCertificate, readMetrics, takeUp }
  })
