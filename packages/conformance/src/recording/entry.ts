import * as Schema from "effect/Schema"

const absent = Schema.optionalKey
const Names = Schema.Array(Schema.String)
const Members = Schema.Record(Schema.String, Schema.Json)

/** The version of the format. A change that older readers cannot read increments it. */
export const recordingVersion = 2

/** The readable versions. Version 2 adds the calls of an embedder's pages, and the paths of these pages, to version 1. */
export const readVersions = [1, recordingVersion] as const

/** The first line: the version and the settings of the recorded provider. */
export const Beginning = Schema.Struct({
  postern_recording: Schema.Literals(readVersions),
  version: Schema.String.annotate({ description: "The version of Postern that recorded." }),
  began_at: Schema.String.annotate({ description: "The time the recording began, as RFC 3339 writes it." }),
  settings: Schema.Struct({
    issuer: Schema.String,
    scopes: absent(Schema.Array(Members)),
    resources: absent(Schema.Array(Members)),
    sessionLifetime: absent(Schema.Int),
    interactionLifetime: absent(Schema.Int),
    interactions: absent(Schema.Struct({ signIn: absent(Schema.String), consent: absent(Schema.String), device: absent(Schema.String) })),
    upstream: absent(Schema.Array(Members)),
    acr: absent(Schema.Record(Schema.String, Schema.String)),
    acrValues: absent(Names),
    tenants: absent(Names),
    profile: absent(Schema.String),
    settings: absent(Members),
    rulesOff: absent(Names),
  }),
  features: Names.annotate({ description: "The names of the features of the provider." }),
  grants: absent(Schema.Json).annotate({ description: "The section `grants` of the configuration." }),
  limited: Schema.Boolean.annotate({ description: "True if requests were limited." }),
  pairwise: Schema.Boolean.annotate({ description: "True if the provider makes pairwise subjects." }),
  sections: absent(Schema.Json).annotate({
    description: "The other sections of the configuration that features come of, without secrets.",
  }),
  declared: absent(Names).annotate({ description: "The clients that the configuration declares." }),
})

/** One call to a port, and its result. */
export const Call = Schema.Struct({
  op: Schema.String.annotate({ description: "The port and the operation, as `TokenStore.findCode`." }),
  args: Schema.Array(Schema.Json).annotate({ description: "The arguments; of a digest a digest of the text alone." }),
  value: absent(Schema.Json).annotate({ description: "The answer; left out where the port had none." }),
  failed: absent(Schema.Struct({ uncertain: Schema.Boolean, retryAfter: absent(Schema.Finite) })),
})

/** A step of a trail. */
const Step = Schema.Struct({
  table: Schema.String,
  passed: Names,
  refused: absent(Schema.Struct({ rule: Schema.String, cites: Schema.String, answer: Schema.String, reason: Schema.String })),
})

/** A decision that a replay makes. */
export const Decided = Schema.Struct({
  endpoint: Schema.String,
  client: absent(Schema.String),
  outcome: Schema.String,
  status: Schema.Int,
  headers: Schema.Array(Schema.Tuple([Schema.String, Schema.String])),
  body: Schema.String.annotate({ description: "The body; of a page, what the page says, as JSON." }),
  steps: Schema.Array(Step).annotate({ description: "The rules that were met." }),
  commits: Schema.Array(Schema.Json).annotate({ description: "The changes of state that were asked for." }),
  fault: absent(Schema.String),
  missing: absent(Names).annotate({ description: "Questions to ports that are not recorded." }),
})

/** One request with all data that its decision depends on. */
export const Entry = Schema.Struct({
  request: Schema.String.annotate({ description: "The request id (`x-request-id`)." }),
  at: Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 253_402_300_799_999 })).annotate({
    description: "Milliseconds since 1970, up to the end of the year 9999.",
  }),
  message: Schema.Struct({
    method: Schema.String,
    path: Schema.String,
    query: Schema.String,
    headers: Schema.Record(Schema.String, Schema.String),
    body: Schema.String,
    address: absent(Schema.String),
    certificate: absent(Schema.Struct({ der: Schema.String, verified: Schema.Boolean })),
  }),
  page: absent(
    Schema.Union([
      Schema.Struct({ call: Schema.Literal("interaction") }),
      Schema.Struct({ call: Schema.Literal("resume"), answer: Members }),
    ]),
  ).annotate({ description: "The call of an embedder's page, `provider.interaction` or `provider.resume`, that the message came from." }),
  chance: Names.annotate({
    description: "The random bytes that were drawn, in base64url; others in the place of those that become secrets.",
  }),
  calls: Schema.Array(Call),
  decided: Decided,
  unlike: absent(Schema.Struct({ outcome: Schema.String, status: Schema.Int, rule: absent(Schema.String) })).annotate({
    description: "The decision when it was recorded, where what is recorded leads to another.",
  }),
})

/** The last line. A recording without it was truncated. */
export const Ending = Schema.Struct({
  requests: Schema.Int.annotate({ description: "The number of requests that were recorded." }),
  left_out: Schema.Int.annotate({ description: "The number of requests that were left out." }),
})

/** A line of a recording. */
export const Line = Schema.Union([Beginning, Entry, Ending])

export type Beginning = typeof Beginning.Type
export type Call = typeof Call.Type
export type Decided = typeof Decided.Type
export type Entry = typeof Entry.Type
export type Ending = typeof Ending.Type
