import fc from "fast-check"
import { expect } from "vitest"
import type { ClientMetadata } from "@postern/core"
import { basic, follow, request } from "../support/flows.ts"
import { type Said, type Visitor, said } from "../support/visitor.ts"
import type { World } from "../support/world.ts"
import { scopes } from "./requests.ts"

/** The words of a scope. */
export const words = (scope: unknown): ReadonlyArray<string> =>
  String(scope)
    .split(" ")
    .filter((word) => word !== "")
/** Fails for what is in the one and not in the other. */
export const within = (inner: ReadonlyArray<string>, outer: ReadonlyArray<string>): void =>
  expect(inner.filter((word) => !outer.includes(word))).toEqual([])

/** Answer of a person on the consent page, if it is shown. */
interface Answer {
  readonly allow: boolean
  readonly ticked: ReadonlyArray<string>
}

/** One authorization from its request to the last of its tokens. */
export interface Round {
  readonly type: string
  readonly asked: ReadonlyArray<string>
  readonly answer: Answer
  readonly withdraw: boolean
  readonly prompt: string | undefined
  /** Scopes that each refresh of the chain asks for; undefined asks for none. */
  readonly chain: ReadonlyArray<ReadonlyArray<string> | undefined>
}

/** Any scopes. */
export const subset = fc.subarray([...scopes])
/** Authorizations that a client may ask for, most of them within what it may have. */
export const round = ({ response_types = [] }: ClientMetadata, own: ReadonlyArray<string>): fc.Arbitrary<Round> =>
  fc.record({
    type: fc.oneof({ weight: 2, arbitrary: fc.constant("code") }, fc.constantFrom(...response_types)),
    asked: fc.oneof({ weight: 4, arbitrary: fc.constant(own) }, { weight: 6, arbitrary: fc.subarray([...own], { minLength: 1 }) }, subset),
    answer: fc.record({ allow: fc.oneof({ weight: 5, arbitrary: fc.constant(true) }, fc.constant(false)), ticked: subset }),
    withdraw: fc.oneof({ weight: 5, arbitrary: fc.constant(false) }, fc.constant(true)),
    prompt: fc.option(fc.constantFrom("consent", "login", "none"), { nil: undefined }),
    chain: fc.array(fc.option(fc.oneof(fc.subarray([...own]), subset), { nil: undefined }), { maxLength: 3 }),
  })
/** Calls an endpoint as the client, the way it authenticates. */
export const as = (w: World, client: ClientMetadata, path: string, fields: Readonly<Record<string, string>>): Promise<Said> => {
  const method = client.token_endpoint_auth_method ?? "client_secret_basic"
  const proof = {
    ...(method === "client_secret_basic" ? {} : { client_id: "app" }),
    ...(method === "client_secret_post" ? { client_secret: "secret of app" } : {}),
  }
  const headers = {
    "content-type": "application/x-www-form-urlencoded",
    ...(method === "client_secret_basic" ? { authorization: basic("app") } : {}),
  }
  return w.send({ method: "POST", path, body: new URLSearchParams({ ...fields, ...proof }).toString(), headers }).then(said)
}

/** Goes through login and consent as often as asked; what the consent page lets through is added to what the person allowed. */
export const authorize = async (
  visitor: Visitor,
  client: ClientMetadata,
  { type, asked, answer, prompt }: Round,
  allowed: Set<string>,
): Promise<Said> => {
  const [redirect_uri = ""] = client.redirect_uris ?? []
  let shown = await follow(
    visitor,
    await visitor.get(
      "/connect/authorize",
      request("app", { response_type: type, nonce: "n", redirect_uri, scope: asked.join(" "), prompt }),
    ),
  )
  for (let page = 0; page < 4 && shown.page !== undefined; page++) {
    if (shown.page["_tag"] === "Login")
      shown = await follow(
        visitor,
        await visitor.submit(shown.page, [
          ["username", "alice"],
          ["password", "correct horse"],
        ]),
      )
    if (shown.page?.["_tag"] !== "Consent") continue
    const offered = shown.page["scopes"] as ReadonlyArray<{ name: string; required: boolean }>
    expect(offered.map(({ name }) => name).sort()).toEqual([...new Set(asked)].sort())
    within(
      offered.map(({ name }) => name),
      words(client.scope),
    )
    if (answer.allow)
      for (const { name, required } of offered) void (required || answer.ticked.includes(name) ? allowed.add(name) : allowed.delete(name))
    const ticks = answer.ticked.map((name) => ["scope", name] as const)
    shown = await follow(visitor, await visitor.submit(shown.page, [["decision", answer.allow ? "allow" : "deny"], ...ticks]))
  }
  return shown
}

/** Withdraws what the person allowed the client. */
export const withdraw = async (visitor: Visitor): Promise<void> => {
  const { page } = await visitor.get("/")
  await visitor.submit(page, [["client_id", "app"]], "withdrawConsent")
}
