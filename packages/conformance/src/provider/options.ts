import { type MemberKinds, memberFaults } from "@postern/core/verify"
import type { Minting } from "./mint.ts"
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

const demanding =
  <Given extends object>(called: string, kinds: MemberKinds<Given>) =>
  (given: Given): void => {
    const faults = memberFaults(given, kinds)
    if (faults.length > 0) throw new TypeError(`${called}: ${faults.join("; ")}`)
  }

/** Check what a test gives to a provider under test. Each throws one `TypeError` that names every unknown member and every wrong type. */
export const demandStart = demanding("startPostern", startKinds)
export const demandSignIn = demanding("signIn", signInKinds)
export const demandSubject = demanding("authorize", subjectKinds)
export const demandMinting = demanding("mint", mintKinds)
export const demandQueued = demanding("queue", queueKinds)
