import { Socket } from "node:net"
import { newTicketSecret, type TicketSecret } from "@postern/adapter-http"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { setupFor } from "../config/load.ts"
import type { Setup } from "../config/setup.ts"
import { failed } from "../failure.ts"
import { messageOf } from "@postern/core/model"
import type { AgreedHashes } from "../serve/provider.ts"
import { type Listening, type RunningProvider, runProvider } from "../serve/run.ts"
import { type MainCalls, type Order, type WorkerCalls, writerDescriptor } from "./calls.ts"
import { type Answers, linkOf, type Port } from "./link.ts"
import { together } from "./together.ts"

const mainProcess: Port = {
  send: (message) => void process.send?.(message, undefined, undefined, () => undefined),
  receive: (listener) => void process.on("message", listener),
}

/** A configuration that is prepared but not yet served. */
interface Prepared extends Awaited<ReturnType<RunningProvider["renew"]>> {
  readonly setup: Setup
}

/**
 * Runs this process as a worker, which answers the calls of the main process and exits with it. Signals are ignored, because a terminal or
 * service manager sends them to every process, and the main process stops the workers.
 */
export const runWorker = (): void => {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => undefined)
  // Without the main process, nothing can perform this process's writes or restart it.
  process.on("disconnect", () => process.exit(1))
  const scope = Scope.makeUnsafe()
  const agreed = Promise.withResolvers<AgreedHashes>()
  agreed.promise.catch(() => undefined)
  let listens = false
  let running: Promise<RunningProvider> | undefined
  let order: Pick<Order, "file" | "data"> | undefined
  let prepared: Prepared | undefined

  const started = async (): Promise<readonly [RunningProvider, Pick<Order, "file" | "data">]> => {
    if (running === undefined || order === undefined) throw failed("this worker serves nothing yet")
    return [await running, order]
  }
  const answers: Answers<WorkerCalls> = {
    serve: async (given) => {
      const { file, config, data, port, workers, speaks } = given
      order = { file, data }
      // Kept only until it is read.
      let first: TicketSecret | undefined = given.tickets
      const tickets = (): TicketSecret => {
        const told = first ?? newTicketSecret(Date.now())
        first = undefined
        return told
      }
      const setup = await setupFor(file, config, [], data)
      const listening = Promise.withResolvers<Listening>()
      const program = runProvider(port === undefined ? setup : { ...setup, listen: { ...setup.listen, port } }, (trails) => trails, {
        workers,
        tickets,
        speaks,
        writing: setup.database._tag === "Postgres" ? undefined : new Socket({ fd: writerDescriptor, readable: true, writable: true }),
        agreed: agreed.promise,
        listens: listening.resolve,
        metricsOfAll: together(() => link.call("metrics", undefined)),
      })
      running = promiseOf(program, scope)
      running.catch(listening.reject)
      const at = await listening.promise
      listens = true
      return at
    },
    agree: async (hashes) => {
      agreed.resolve(hashes)
      await started()
    },
    prepare: async (config) => {
      const [{ renew }, { file, data }] = await started()
      const setup = await setupFor(file, config, [], data)
      prepared = { setup, ...(await renew(setup)) }
    },
    take: async (hashes) => {
      const [{ replace, log, takeCertificate }] = await started()
      if (prepared === undefined) throw failed("nothing was prepared")
      const { setup, declare, ...made } = prepared
      prepared = undefined
      await declare(hashes)
      replace(made)
      log.setLevel(setup.logLevel)
      try {
        return { certificate: setup.tls !== undefined && takeCertificate(setup.tls) }
      } catch (error) {
        // A reload may read a certificate that is only partly replaced. The check every minute applies it later.
        log.line("error", "TLS certificate not taken up", { fault: messageOf(error) })
        return { certificate: false }
      }
    },
    beat: () => Promise.resolve(undefined),
    metrics: async () => {
      const [{ readMetrics }] = await started()
      return readMetrics()
    },
    stop: async () => {
      // The worker has served nothing yet, so it needn't wait for pending opens.
      if (!listens) process.exit()
      // Requests no longer wait for declared clients and users.
      agreed.reject(failed("this worker stops"))
      try {
        await Effect.runPromise(Scope.close(scope, Exit.void))
      } finally {
        process.exit()
      }
    },
  }
  const link = linkOf<MainCalls, WorkerCalls>(mainProcess, answers)
}

/** Runs an effect in a scope. A failure rejects with the original error, so that it can be sent to the main process. */
const promiseOf = <A, E extends Error>(program: Effect.Effect<A, E, Scope.Scope>, scope: Scope.Scope): Promise<A> =>
  Effect.runPromiseExit(Effect.provideService(program, Scope.Scope, scope)).then((exit) =>
    Exit.isSuccess(exit) ? exit.value : Promise.reject(Cause.squash(exit.cause)),
  )
