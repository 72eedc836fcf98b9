import { type TestClient, type TestProvider, startPostern } from "@postern/conformance/provider"
import { ClientRefused } from "@postern/core"
import * as Effect from "effect/Effect"
import { type Action, attempt } from "../action.ts"
import { readTriedClients } from "../conform/files.ts"
import { systemCode } from "../config/file.ts"
import { failed, misused } from "../failure.ts"
import { untilStopped } from "../serve/untilStopped.ts"
import { complain, printable, say, styled } from "../terminal/output.ts"

/** The parameters of `postern test-provider`. */
export interface TestProviderCall {
  readonly port: number | undefined
  readonly host: string | undefined
  readonly issuer: string | undefined
  readonly clientFile: string | undefined
  readonly anyUser: boolean
  readonly at: string | undefined
}

/** The end of the year 9999, the latest time of the provider's clock. */
const latest = Date.parse("9999-12-31T23:59:59Z") / 1000

/** A date, or a date and time with a time zone. The zone is required so that the result doesn't depend on the machine. */
const timestamp = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2}))?$/

const secondsAt = (text: string): number => {
  const seconds = /^\d{1,12}$/.test(text) ? Number(text) : timestamp.test(text) ? Date.parse(text) / 1000 : Number.NaN
  if (!Number.isFinite(seconds) || seconds < 0 || seconds > latest)
    throw misused(`${text} is no time`, "give seconds since 1970, or 2026-11-22T20:00:00Z")
  return Math.floor(seconds)
}

const issuerOf = (text: string): string => {
  if (!/^https?:\/\/[a-z0-9.\-[\]:]+(?:\/[^\s?#]*)?$/.test(text) || !URL.canParse(text) || text.endsWith("/"))
    throw misused(`${text} is no issuer`, "an issuer is a URL such as http://postern:8080, in lower case and without a trailing slash")
  return text
}

const started = async ({ port = 8080, host, issuer, clientFile, anyUser, at }: TestProviderCall): Promise<TestProvider> => {
  const stated = {
    issuer: issuer === undefined ? undefined : issuerOf(issuer),
    at: at === undefined ? undefined : secondsAt(at),
    // The fields of the file's metadata have the same names as those of `TestClient`.
    clients: clientFile === undefined ? undefined : ((await readTriedClients(clientFile)) as ReadonlyArray<TestClient>),
  }
  try {
    return await startPostern({ ...stated, port, host, anyUser, control: true })
  } catch (error) {
    if (error instanceof ClientRefused) {
      const faults = error.faults.map(({ path, reason, hint }) => printable(`${path.join(".")}: ${reason}; ${hint}`))
      throw failed(
        `${clientFile ?? ""} cannot be used: ${error.message.split(":\n")[0] ?? ""}`,
        "docs/testing.md shows such a file",
        faults,
      )
    }
    if (error instanceof Error && "syscall" in error)
      throw failed(
        `port ${port} of ${host ?? "127.0.0.1"} cannot be used: ${systemCode(error)}`,
        `name another with ${/EADDRINUSE|EACCES/.test(systemCode(error)) ? "--port" : "--host"}`,
      )
    throw error
  }
}

const report = (op: TestProvider, { anyUser, host = "127.0.0.1" }: TestProviderCall): void => {
  const [client] = op.clients
  say(styled("bold", "A provider for tests"))
  say(`\n  issuer   ${op.issuer}`)
  for (const { client_id, client_secret } of op.clients.slice(0, 10))
    say(`  client   ${client_id}${client_secret === undefined ? "" : `, secret ${client_secret}`}`)
  say(anyUser ? "  people   anyone, under any name" : "  people   alice, password password")
  say(`  control  ${op.issuer}/_test: time, queue, requests, mint, sign-in, authorize, rotate-keys`)
  say(`  token    curl -H 'content-type: application/json' -d '{"client":"${client?.client_id ?? "app"}"}' ${op.issuer}/_test/sign-in`)
  say(`\n${styled("yellow", "Never let people sign in here:")} anyone who reaches the port can sign in as anyone. Stop it with Ctrl-C.`)
  if (host !== "127.0.0.1" && host !== "::1" && host !== "localhost")
    complain(`It listens on ${host}: anyone who can reach this machine can reach it.`)
}

/** Runs a test provider until interrupted. */
export const serveTests: Action<TestProviderCall> = (call) =>
  untilStopped(
    Effect.acquireRelease(
      attempt(() => started(call)),
      (op) => Effect.promise(op.stop),
    ).pipe(Effect.map((op) => report(op, call))),
  )
