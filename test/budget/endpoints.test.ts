import { cibaDesigns } from "@postern/adapter-http/ciba"
import { liquidPages } from "@postern/adapter-http/pages"
import { compose, idJag } from "@postern/core"
import { jwtBearer, tokenExchange } from "@postern/core/grants"
import { beforeAll, describe, expect, test } from "vitest"
import { tills } from "../support/asking.ts"
import { everyFeature, featuresOf } from "../../packages/cli/src/config/features.ts"
import { endpointsOf } from "../../packages/core/src/provider/composition.ts"
import { basic } from "../support/flows.ts"
import { peerIssuer, peerJwks } from "../support/peer.ts"
import { withUpstream } from "../support/upstream.ts"
import { type World, clients, resources, world } from "../support/world.ts"
import { exchangeCost, measured, overBound } from "./measure.ts"
import { type Row, cookiesOf, rows } from "./rows.ts"
import { type Shape, bodies, forms, plainJson, headers, plainForm, plainHeader, values } from "./shapes.ts"

/** Factor of CPU time that the worst request may take beside a plain one of the same size. */
const bound = 5

/** Lengths that a server takes: a body, a query, a header field, in characters. */
const [longestBody, longestQuery, longestHeader] = [65_536, 8_000, 15_000]

const headerNames = [
  "cookie",
  "authorization",
  "accept",
  "accept-language",
  "content-type",
  "user-agent",
  "sec-fetch-dest",
  "sec-fetch-site",
]

const headerValues = Object.entries(headers).map(([shape, make]) => [shape, make(longestHeader)] as const)

/** The features of a configuration that turns on all that there are; extension grants are given beside them, with issuers of their own. */
const features = featuresOf({
  registration: { open: true },
  ciba: {},
  metadata_documents: {},
  session_management: true,
  upstream_logout: true,
})
const endpoints = endpointsOf(compose({ features: everyFeature }, []))

/** Costs of requests to a server beside answering them, by their length. */
const besides = new Map<number, number>()

let setting: { readonly w: World; readonly cookie: string } | undefined

const ready = (): NonNullable<typeof setting> => {
  if (setting === undefined) throw new Error("asked before there is anybody to ask")
  return setting
}

beforeAll(async () => {
  for (const length of [0, longestBody]) besides.set(length, await exchangeCost(length))
  const peer = { issuer: peerIssuer, jwks: peerJwks }
  const elsewhere = { issuer: "https://as.todo.example", scope: ["todo.read"], clients: { exchanges: { clientId: "e" } } }
  const liquid = liquidPages({ pages: cibaDesigns })
  const grants = ["urn:ietf:params:oauth:grant-type:token-exchange", "urn:ietf:params:oauth:grant-type:jwt-bearer"]
  const usual = withUpstream()
  const w = await world({
    ...usual,
    clients: [
      ...(usual.clients ?? clients),
      ...tills,
      { client_id: "exchanges", client_secret: "secret of exchanges", grant_types: grants, scope: "openid api.read" },
    ],
    more: {
      ...usual.more,
      // The visitor who signs in reads values; everybody else is shown real pages.
      pages: { render: (page, context) => (setting === undefined ? JSON.stringify(page) : liquid.render(page, context)) },
      trails: { record: () => undefined },
      features: [...features, idJag({ authorizationServers: [elsewhere], identityProviders: [peer] })],
      resources: [...resources, { identifier: "https://op.example/notes", scopes: [], metadata: {} }],
      grants: [tokenExchange({ issuers: [peer] }), jwtBearer({ issuers: [peer] })],
    },
  })
  setting = { w, cookie: await cookiesOf(w) }
})

const encoded = (pairs: ReadonlyArray<readonly [string, string]>): string =>
  new URLSearchParams(pairs.map(([name, value]) => [name, value])).toString()

/** Writes a value of a form so that nothing but what must be is encoded: a stranger sends it as dense as it may be. */
const dense = (value: string): string => value.replaceAll("%", "%25").replaceAll("&", "%26").replaceAll("+", "%2B")

const made = new Map<string, string>()

/** The same, made once for each length. */
const denseOf = (name: string, shape: Shape, length: number): string => {
  const key = `${name} ${length}`
  const value = made.get(key) ?? dense(shape(length))
  made.set(key, value)
  return value
}

const fieldsOf = ({ fields = [], json }: Row, but?: string): string => {
  const left = fields.filter(([name]) => name !== but)
  // The members of an object without its braces, as what is added stands behind them.
  return json ? `"a":0${left.map(([name, value]) => `,${JSON.stringify(name)}:${JSON.stringify([value])}`).join("")}` : encoded(left)
}

interface Sent {
  readonly text: string
  readonly headers?: Readonly<Record<string, string>>
}

/** Sends what a row says, with so much more. */
const send = async (row: Row, { text, headers: more = {} }: Sent): Promise<void> => {
  const posted = row.method === "POST" || row.method === "PUT"
  await ready().w.provider.handle({
    method: row.method,
    path: row.path,
    query: posted ? "" : text,
    body: !posted ? "" : row.json ? `{${text}}` : text,
    address: "192.0.2.1",
    headers: {
      ...(posted ? { "content-type": row.json ? "application/json" : "application/x-www-form-urlencoded" } : {}),
      ...(row.person ? { cookie: ready().cookie } : {}),
      ...row.headers,
      ...more,
    },
  })
}

/** Describes what is over the bound: each shape beside the plain request of its size. */
const tooDear = async (row: Row, plainly: Sent, shapes: Iterable<readonly [string, Sent]>): Promise<ReadonlyArray<string>> => {
  const plain = await measured(() => send(row, plainly), besides.get(plainly.text.length > longestHeader ? longestBody : 0) ?? 0)
  const over: Array<string> = []
  for (const [name, badly] of shapes) {
    const found = await overBound(plain, () => send(row, badly), bound)
    if (found !== undefined) over.push(`${name}: ${found}`)
  }
  return over
}

const lengths = ({ method, longest }: Row): ReadonlyArray<number> => {
  const most = method === "GET" || method === "DELETE" ? longestQuery : longestBody
  return longest === undefined ? [most] : [longest, most]
}

/** The text of a request with a parameter as long as it may be. */
const withValue = (row: Row, name: string, length: number, write: Shape): string => {
  if (row.json) {
    const start = `${fieldsOf(row, name)},"${name}":`
    // A text of JSON is as long as its escapes make it: what is over is cut before it is written.
    const written = write(length - start.length - 2)
    return start + JSON.stringify(written.slice(0, Math.floor((written.length * written.length) / (JSON.stringify(written).length - 2))))
  }
  const start = `${fieldsOf(row, name)}&${name}=`
  return (start + write(length - start.length)).slice(0, length)
}

describe.each(rows.map((row) => [`${row.method} ${row.path} ${fieldsOf(row).slice(0, 60)}`, row] as const))("%s", (_, row) => {
  const title = `costs at most ${bound} plain ones (RFC 9110 §17.5)`
  test.each(lengths(row))(`the worst form of %i characters ${title}`, { timeout: 60_000 }, async (length) => {
    const text = (shape: Shape): string => fieldsOf(row) + shape(length - fieldsOf(row).length)
    const shapes = Object.entries(row.json ? bodies : forms).map(([name, shape]) => [name, { text: text(shape) }] as const)
    const plain: Shape = row.json ? plainJson : (left) => `&x=${plainForm(left - 3)}`
    expect(await tooDear(row, { text: text(plain) }, shapes)).toEqual([])
  })

  const parameters = (row.parameters ?? []).flatMap((name) => lengths(row).map((length) => [name, length] as const))
  test.each(parameters)(`the worst %s of %i characters ${title}`, { timeout: 60_000 }, async (name, length) => {
    const text = (write: Shape): Sent => ({ text: withValue(row, name, length, write) })
    const shapes = Object.entries(values).map(
      ([shape, make]) => [shape, text((left) => (row.json ? make(left) : denseOf(shape, make, left)))] as const,
    )
    expect(await tooDear(row, text(plainForm), shapes)).toEqual([])
  })

  // Headers are read alike at every endpoint, whatever the method.
  const first = rows.find(({ endpoint, method }) => endpoint === row.endpoint && method === row.method) === row
  test.runIf(first)(`the worst header ${title}`, { timeout: 60_000 }, async () => {
    const sent = (name: string, value: string): Sent => {
      const before = name === "cookie" && row.person ? `${ready().cookie}; ` : ""
      return { text: fieldsOf(row), headers: { [name]: before + value } }
    }
    const shapes = headerNames.flatMap((name) => headerValues.map(([shape, value]) => [`${name}, ${shape}`, sent(name, value)] as const))
    expect(await tooDear(row, sent("cookie", plainHeader(longestHeader)), shapes)).toEqual([])
  })
})

/** Endpoints that there are for each provider upstream. */
const ofProviders = ["login-callback", "upstream-logout"]

test("every endpoint of the route table has its row", () => {
  const known = new Set(rows.map(({ endpoint }) => endpoint))
  expect([...endpoints.map(({ name }) => name), ...ofProviders].filter((name) => !known.has(name))).toEqual([])
})

test("and every row is of an endpoint that there is", async () => {
  const known = new Set([...endpoints.map(({ name }) => name), ...ofProviders])
  expect(rows.filter(({ endpoint }) => !known.has(endpoint))).toEqual([])
  for (const { path, method } of rows) {
    const { status } = await ready().w.send({ path, method, headers: { authorization: basic("nobody") } })
    expect([path, status === 404 || status === 405]).toEqual([path, false])
  }
})
