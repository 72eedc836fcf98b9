import {
  type AccessToken,
  type Attempts,
  type AuthorizationCode,
  type Client,
  type Consent,
  type Device,
  type FoundAccessToken,
  type Grant,
  type IdentityScope,
  type Interaction,
  type InteractionAnswer,
  type Message,
  type OutboundAnswer,
  type Page,
  type PageContext,
  type Person,
  type ProviderOptions,
  type ProviderPorts,
  type RefreshToken,
  type Resource,
  type Session,
  type UpstreamIdentity,
  type Verification,
  createProvider,
  defineClient,
} from "@postern/core"
import { expect, test } from "vitest"

// Each of these is checked by `npm run types`; running them shows that nothing else happens.

/** The members of a type that must be there and may be undefined: a burden without a use. */
type Burdens<Type> = Type extends unknown
  ? { [Name in keyof Type]-?: undefined extends Type[Name] ? (object extends Pick<Type, Name> ? never : Name) : never }[keyof Type]
  : never
type Each<Types extends ReadonlyArray<unknown>> = { [At in keyof Types]: Burdens<Types[At]> }[number]
type IsNever<Type> = [Type] extends [never] ? true : false

test("optional members are optional: of everything that an embedder's ports answer or are asked with, and of options", () => {
  const none: IsNever<
    Each<
      [
        AccessToken,
        Attempts,
        AuthorizationCode,
        Client,
        Consent,
        Device,
        FoundAccessToken,
        Grant,
        IdentityScope,
        Interaction,
        Message,
        OutboundAnswer,
        Page,
        PageContext,
        Person,
        ProviderOptions,
        ProviderPorts,
        RefreshToken,
        Resource,
        Resource["scopes"][number],
        Session,
        UpstreamIdentity,
        Verification,
      ]
    >
  > = true
  expect(none).toBe(true)
  // The measure itself finds one.
  const found: Burdens<{ readonly a: string; readonly b?: string; readonly c: string | undefined }> = "c"
  expect(found).toBe("c")
})

test("a verification needs no acr, a resource no title, a message no address", () => {
  const person: Person = { subject: "1", username: "alice", active: true, claims: {} }
  const verified: Verification = { _tag: "Verified", person, amr: ["pwd"] }
  const resource: Resource = { identifier: "https://api.example", scopes: [{ name: "api.read", required: false }] }
  const message: Message = { method: "GET", path: "/", query: "", headers: {}, body: "" }
  expect([verified, resource, message]).toHaveLength(3)
})

test("options may be undefined: what a condition leaves out (exactOptionalPropertyTypes)", () => {
  const some = (options: Partial<ProviderOptions & ProviderPorts>) => options
  expect(some({ limiter: undefined, clock: undefined, report: undefined, pairwiseSalt: undefined, resources: undefined })).toBeDefined()
})

test("an answer of an embedder's page is of one kind, and names nothing else", () => {
  const some = (answer: InteractionAnswer) => answer
  const csrf = "x"
  expect(some({ csrf, signIn: { subject: "1" } })).toBeDefined()
  expect(some({ csrf, consent: { scopes: ["openid"] } })).toBeDefined()
  expect(some({ csrf, deny: true, interaction: "i_1" })).toBeDefined()
  expect(some({ csrf, error: { error: "login_required" } })).toBeDefined()
  // @ts-expect-error two kinds at once
  expect(some({ csrf, signIn: { subject: "1" }, deny: true })).toBeDefined()
  // @ts-expect-error a mistyped kind
  expect(some({ csrf, signin: { subject: "1" } })).toBeDefined()
  // @ts-expect-error no csrf token
  expect(some({ deny: true })).toBeDefined()
  // @ts-expect-error a denial is true
  expect(some({ csrf, deny: false })).toBeDefined()
})

test("defineClient and createProvider refuse names that they do not know, in a variable too", () => {
  const mistyped = { client_id: "app", redirect_urls: ["https://app.example/cb"] }
  // @ts-expect-error redirect_urls is no client metadata
  expect(() => defineClient(mistyped)).toThrow(/did you mean redirect_uris/)
  // @ts-expect-error nor is it in a literal
  expect(() => defineClient({ client_id: "app", redirect_urls: [] })).toThrow(TypeError)
  // @ts-expect-error a grant type is a text
  expect(() => defineClient({ client_id: "app", grant_types: [5] })).toThrow(TypeError)
  // @ts-expect-error the secret belongs to the client store
  expect(() => defineClient({ client_id: "app", client_secret: "x" })).toThrow(TypeError)
  // @ts-expect-error ports are missing
  expect(() => createProvider({ issuer: "https://op.example" })).toThrow(TypeError)
})
