import { type MemberKinds, memberFaults, refuseFaults } from "@postern/core/options"
import type { Minting } from "./mint.ts"
import { type TestPerson, isSubject } from "./people.ts"
import type { SigningIn, Subject } from "./signIn.ts"
import type { StartOptions } from "./testProvider.ts"
import type { QueuedAnswer } from "./traffic.ts"

// A test without types that misspells a member would pass: by a token for the usual API, or by the sign-in of the usual person.

const startKinds: MemberKinds<StartOptions> = {
  clients: "objects?",
  people: "objects?",
  anyUser: "boolean?",
  at: "own?",
  port: "number?",
  host: "text?",
  issuer: "text?",
  control: "boolean?",
  faults: "texts?",
  misbehave: "object?",
  limiter: "object?",
  provider: "object?",
}

const personKinds: MemberKinds<TestPerson> = { username: "text", password: "text?", subject: "text?", claims: "object?" }

const subjectKinds: MemberKinds<Subject> = { subject: "text?", claims: "object?" }

const signInKinds: MemberKinds<SigningIn> = {
  ...subjectKinds,
  client: "text?",
  scope: "text?",
  redirectUri: "text?",
  parameters: "object?",
}

const mintKinds: MemberKinds<Minting> = {
  subject: "text?",
  client: "text?",
  audience: "own?",
  kind: "text?",
  expiresIn: "number?",
  claims: "object?",
  alg: "text?",
  typ: "text?",
}

const queueKinds: MemberKinds<QueuedAnswer> = {
  endpoint: "text",
  status: "own?",
  headers: "object?",
  body: "own?",
  change: "function?",
  members: "object?",
  drop: "text?",
}

/** Names a subject that could not be in a token: a sign-in as it would fail on the way. */
const subjectFaults = (given: unknown, within = ""): ReadonlyArray<string> => {
  const { subject } = Object(given) as { readonly subject?: unknown }
  return typeof subject === "string" && !isSubject(subject)
    ? [`${within}subject is not 1 to 255 printable ASCII characters, as every sub is (OpenID Connect Core §2)`]
    : []
}

const demanding =
  <Given extends object>(called: string, kinds: MemberKinds<Given>, faultsOf: (given: Given) => ReadonlyArray<string> = () => []) =>
  (given: Given): void =>
    refuseFaults(called, memberFaults(given, kinds), faultsOf(given))

const tokenKinds = ["access_token", "id_token"]

/** Check what a test gives to a provider under test. Each throws one `TypeError` that names every unknown member and every wrong type. */
export const demandStart = (options: StartOptions): void => {
  refuseFaults("startPostern", memberFaults(options, startKinds))
  refuseFaults(
    "startPostern",
    ...(options.people ?? []).map((each, at) => [
      ...memberFaults(each, personKinds, `people[${at}].`),
      ...subjectFaults(each, `people[${at}].`),
    ]),
  )
}
export const demandSignIn = demanding("signIn", signInKinds, subjectFaults)
export const demandSubject = demanding("authorize", subjectKinds, subjectFaults)
export const demandMinting = demanding("mint", mintKinds, ({ kind }) =>
  typeof kind === "string" && !tokenKinds.includes(kind) ? [`kind is ${JSON.stringify(kind)}, and must be ${tokenKinds.join(" or ")}`] : [],
)
export const demandQueued = demanding("queue", queueKinds)
