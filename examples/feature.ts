/**
 * A feature of your own: clients ask when the office is open. It has an endpoint with a rule table, a member of client metadata and one of discovery;
 * the provider derives the rest (its path, metrics, CORS, the rule reference, `check` of the metadata).
 */
import { type PagesPort, createProvider, defaultFeatures, defineClient } from "@postern/core"
import {
  authenticated,
  defineFeature,
  endpoint,
  form,
  member,
  pass,
  reading,
  refuse,
  replyJson,
  table,
  values,
} from "@postern/core/features"
import { generateKey, joseSigner } from "@postern/core/jose"
import { memoryAuthenticator, memoryClientStore, memoryTokenStore } from "@postern/core/memory"

/** Client metadata: a client that may ask. `access.of(client)` reads it. */
const access = member("opening_hours_access", values.flag, false, "Lets the client ask when the office is open. Default: false.")

/** The rules of the endpoint. What a rule establishes is in the type of every later one. */
const rules = table<{ readonly client: Parameters<typeof access.of>[0]; readonly day: string | undefined }>("opening-hours")
  .rule("opening-hours.access", "house rule 1", (s) =>
    access.of(s.client) ? pass : refuse("unauthorized_client", "The client may not ask.", "opening_hours_access is not set"),
  )
  .present("opening-hours.day", "house rule 2", "day", () => refuse("invalid_request", "The day is missing."))

/** Makes the feature; `hoursOf` may take its time, and what it throws is answered `temporarily_unavailable`. */
export const openingHours = (hoursOf: (day: string) => Promise<string>) => {
  const hours = endpoint(
    { name: "opening-hours", path: "/office/hours", methods: ["POST"], audience: "programs", cors: false },
    form("opening-hours")
      .through(authenticated)
      .read(({ params }) => ({ day: params.one("day") }))
      .judge(rules)
      .read(({ day }, inquiry) => reading("opening hours", async () => ({ hours: await hoursOf(day) }), inquiry))
      .decide(({ day, hours: open }) => replyJson({ day, open })),
  )
  return defineFeature({
    name: "opening-hours",
    endpoints: () => [hours],
    clientMetadata: [access],
    discovery: ({ url }) => ({ opening_hours_endpoint: url(hours.path) }),
  })
}

const now = (): number => Math.floor(Date.now() / 1000)
const keys = [await generateKey("RS256", { createdAt: now(), activeAt: now() })]
const pages: PagesPort = { render: (page) => `<!doctype html><html lang="en"><title>${page._tag}</title></html>` }

/** Rules of registration that it adds. */
const setting = {
  issuer: "http://127.0.0.1:4100",
  features: [...defaultFeatures, openingHours(async (day) => (day === "sunday" ? "closed" : "9 to 17"))],
}

const machine = { grant_types: ["client_credentials"], response_types: [] }
const visitor = defineClient({ client_id: "visitor", ...machine, opening_hours_access: true }, setting)
const stranger = defineClient({ client_id: "stranger", ...machine }, setting)

export const provider = createProvider({
  ...setting,
  clients: memoryClientStore([visitor, stranger], { visitor: "the visitor's secret", stranger: "the stranger's secret" }),
  authenticator: memoryAuthenticator([]),
  pages,
  tokens: memoryTokenStore(),
  signer: joseSigner({ keys: () => keys, now }),
})

/** Asks when the office is open. */
export const ask = (client: "visitor" | "stranger", fields: Readonly<Record<string, string>>): Promise<Response> =>
  provider.fetch(
    new Request("http://127.0.0.1:4100/office/hours", {
      method: "POST",
      headers: { authorization: `Basic ${btoa(`${client}:the+${client}%27s+secret`)}` },
      body: new URLSearchParams(fields),
    }),
  )
