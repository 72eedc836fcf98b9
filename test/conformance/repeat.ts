// Repeats one row of the table in docs/testing.md, or all of them: `node_modules/node/bin/node test/conformance/repeat.ts FAULT CLIENT`.
import { subscribe } from "node:diagnostics_channel"
import type { IncomingMessage, ServerResponse } from "node:http"
import { parseArgs } from "node:util"
import { type Misbehaving, type Misbehavior, misbehaviors, startMisbehaving } from "@postern/conformance/misbehave"
import { apacheThere } from "../interop/apache/apache.ts"
import { openApache } from "./misbehaveApache.ts"
import { type Driver, clients, drivers, tried } from "./misbehaveDrivers.ts"
import { outcomes } from "./misbehaveOutcomes.ts"
import { person, sites } from "./misbehaveSites.ts"

const usage = `Signs in with a client at a provider that gets one thing wrong, and shows what the client did next.

  node_modules/node/bin/node test/conformance/repeat.ts FAULT CLIENT
  node_modules/node/bin/node test/conformance/repeat.ts --list
  node_modules/node/bin/node test/conformance/repeat.ts --all [CLIENT]

  FAULT   as \`postern misbehave --list\` names it
  CLIENT  ${Object.keys(outcomes).join("; ")}
  --list  the call of each row of the table in docs/testing.md
  --all   every row, or those of a client; exit status 1 where one is not as the table says
`

/** A client with its provider. */
interface Trial {
  readonly op: Misbehaving
  readonly driver: Driver
  readonly close: () => Promise<void>
}

const ofApache: Readonly<Record<string, readonly [responseType: string, responseMode?: string]>> = {
  mod_auth_openidc: ["code"],
  "mod_auth_openidc, hybrid": ["code id_token", "form_post"],
}

const opened = async (name: string): Promise<Trial> => {
  const library = drivers.find((each) => each.name === name)
  if (library !== undefined) {
    const op = await startMisbehaving({ clients: clients.filter(({ client_id }) => client_id === library.client) })
    return { op, driver: library, close: op.stop }
  }
  const site = await sites[name]?.()
  if (site !== undefined) {
    const op = await startMisbehaving({ clients: [site.registration], person })
    return { op, driver: { ...site, name }, close: async () => void (await Promise.all([op.stop(), site.close()])) }
  }
  const flow = ofApache[name]
  if (flow === undefined || !apacheThere)
    throw new Error(flow === undefined ? `there is no client ${name}` : "Apache is not installed here")
  const { driver, registration, start, close } = await openApache(name.replaceAll(/\W+/g, "-"), ...flow)
  const op = await startMisbehaving({ clients: [registration], person })
  await start(op.issuer)
  return { op, driver: { ...driver, name }, close: async () => void (await Promise.all([op.stop(), close()])) }
}

/** Requests that the provider answers, as they end. */
const seen: Array<string> = []
let port = ""
subscribe("http.server.response.finish", (message) => {
  const { request, response } = message as { readonly request: IncomingMessage; readonly response: ServerResponse }
  if (request.headers.host?.endsWith(`:${port}`) !== true) return
  const location = response.getHeader("location")
  const to = typeof location === "string" ? ` to ${location.split("?", 1)[0]?.slice(0, 80) ?? ""}` : ""
  seen.push(`${request.method ?? ""} ${(request.url ?? "").split("?", 1)[0] ?? ""}: ${response.statusCode}${to}`)
})

/** Tries one fault, and reports whether the client did what the table says. */
const repeated = async ({ op, driver }: Trial, misbehavior: Misbehavior, isTold: boolean): Promise<boolean> => {
  const { id, level, paragraph } = misbehavior
  seen.length = 0
  await tried(op, driver, misbehavior)
  const score = op.scores().find((each) => each.misbehavior.id === id && each.client === driver.client)
  const expected = outcomes[driver.name]?.wentOn.includes(id) === true
  const wentOn = score?.verdict === "accepted" && !score.right
  const lines = [
    `${driver.name}, ${id} (${level}, ${paragraph}): ${score?.verdict ?? "not tried"}; ${score?.because ?? ""}`,
    ...(isTold ? seen.map((each) => `  ${each}`) : []),
    ...(wentOn === expected ? [] : [`  docs/testing.md says that it ${expected ? "goes on" : "does not go on"}`]),
  ]
  process.stdout.write(`${lines.join("\n")}\n`)
  return wentOn === expected
}

const {
  values: { list, all, help },
  positionals,
} = parseArgs({
  allowPositionals: true,
  options: { list: { type: "boolean" }, all: { type: "boolean" }, help: { type: "boolean", short: "h" } },
})
const [first = "", second] = positionals
if (list === true) {
  for (const [name, { wentOn }] of Object.entries(outcomes))
    for (const id of wentOn) process.stdout.write(`node_modules/node/bin/node test/conformance/repeat.ts ${id} "${name}"\n`)
} else if (help === true || (all !== true && second === undefined)) {
  process.stdout.write(usage)
  process.exitCode = help === true ? 0 : 2
} else {
  const names = all === true ? Object.keys(outcomes).filter((name) => first === "" || name === first) : [second ?? ""]
  let isAsSaid = true
  for (const name of names) {
    if (ofApache[name] !== undefined && !apacheThere && all === true) {
      process.stdout.write(`${name}: Apache is not installed here\n`)
      continue
    }
    const trial = await opened(name)
    port = new URL(trial.op.issuer).port
    const ids = all === true ? (outcomes[name]?.wentOn ?? []) : [first]
    const chosen = ids.map((id) => {
      const found = misbehaviors.find((each) => each.id === id)
      if (found === undefined) throw new Error(`there is no fault ${id}`)
      return found
    })
    try {
      await trial.driver.signIn(trial.op.issuer)
      process.stdout.write(`${name}: signs in where all is right\n`)
      for (const misbehavior of chosen) isAsSaid = (await repeated(trial, misbehavior, all !== true)) && isAsSaid
    } finally {
      await trial.close()
    }
  }
  process.exitCode = isAsSaid ? 0 : 1
}
