import { createHash } from "node:crypto"
import type { ClientMetadata } from "@postern/core"
import type { SigningKeyStore } from "@postern/core/jose"
import type { Awaitable, EntropyPort, TokenStorePort } from "@postern/core/ports"
import { quickWorld, usualPeople } from "../properties/quickWorld.ts"
import { post, redeem, request, signIn, userinfo, verifier } from "../support/flows.ts"
import { type Said, Visitor } from "../support/visitor.ts"
import type { World } from "../support/world.ts"
import { type Name, type Operation, type Outcome, clientMetadata } from "./state.ts"

/** A token store as the model meets it. */
export interface StoreSubject {
  readonly store: TokenStorePort
  /** Further stores on the same rows, each with connections of its own: there is a provider on each, and requests go to them in turn. */
  readonly others?: ReadonlyArray<TokenStorePort>
  /** Store of the signing keys, one for each provider. */
  readonly keys: ReadonlyArray<SigningKeyStore>
  readonly sweep: (now: number) => Awaitable<{ readonly more: boolean }>
  readonly close: () => Awaitable<void>
}

/** Values that were handed out so far, by the model's names. */
export type Handed = ReadonlyMap<Name, string>

/** Does to a provider what the model does to itself, and tells what came of it. */
export interface Actor {
  readonly world: World
  readonly perform: (operation: Operation, handed: Handed) => Promise<Outcome>
}

const person = usualPeople[0]
const unknown = "never handed out"
const refused = ({ status, json }: Said): Outcome => ({ tag: "refused", status, error: String(json?.["error"]) })
const tokens = (answer: Said): Outcome => {
  const { json = {}, status } = answer
  if (status !== 200) return refused(answer)
  const refresh = json["refresh_token"]
  return {
    tag: "tokens",
    access: String(json["access_token"]),
    refresh: typeof refresh === "string" ? refresh : undefined,
    scope: String(json["scope"]).split(" "),
  }
}
const acknowledged = (answer: Said): Outcome => (answer.status === 200 && answer.body === "{}" ? { tag: "done" } : refused(answer))
const went = ({ to, status }: Said): Outcome =>
  status === 303 && to === "/" ? { tag: "done" } : { tag: "refused", status, error: "a page" }

/** Bytes that are the same in every run, and never the same twice, whichever provider draws them. */
const countedEntropy = (): EntropyPort => {
  let drawn = 0
  return { bytes: (count) => createHash("sha512").update(`draw ${drawn++}`).digest().subarray(0, count) }
}

/** Several providers on the same rows as if they were one: each request goes to the next of them, and time passes for all. */
const together = (worlds: ReadonlyArray<World>): World => {
  const [first] = worlds
  if (first === undefined) throw new Error("there is no provider")
  let turn = 0
  const send: World["send"] = (message) => (worlds[turn++ % worlds.length] ?? first).send(message)
  return {
    ...first,
    send,
    visitor: (headers = {}) => new Visitor(send, headers),
    pass: (seconds) => worlds.forEach((each) => each.pass(seconds)),
  }
}

/** A store as its provider is given it. */
export type Between = (store: TokenStorePort) => TokenStorePort

/** A provider on each of a subject's stores, and all of them as if they were one. */
export const worldsOn = (
  { store, others = [] }: StoreSubject,
  clients: ReadonlyArray<ClientMetadata>,
  between: Between = (each) => each,
): { readonly world: World; readonly worlds: ReadonlyArray<World> } => {
  const more = { entropy: countedEntropy() }
  const worlds = [store, ...others].map((each) => quickWorld({ clients, tokens: between(each), more }))
  return { world: together(worlds), worlds }
}

/** Begins a world on a store, with a person signed in. */
export const actor = async (subject: StoreSubject, between?: Between): Promise<Actor> => {
  const { world, worlds } = worldsOn(subject, clientMetadata, between)
  const visitor = world.visitor()
  let home = await homeOf(visitor)

  const grant = async ({ client, scope }: Extract<Operation, { tag: "grant" }>): Promise<Outcome> => {
    const answer = await visitor.get("/connect/authorize", request(client, { scope: scope.join(" ") }))
    const code = answer.params["code"]
    return code === undefined ? refused(answer) : { tag: "code", code }
  }
  const submit = (form: string, field: readonly [string, string]): Promise<Said> => visitor.submit(home, [field], form)

  const perform: Actor["perform"] = async (operation, handed) => {
    const value = (name: Name): string => handed.get(name) ?? unknown
    switch (operation.tag) {
      case "grant":
        return grant(operation)
      case "redeem": {
        const { code, client, proof } = operation
        const changes = {
          "wrong verifier": { code_verifier: `${verifier}w` },
          "wrong redirect_uri": { redirect_uri: "https://app.example/cb?" },
          right: {},
        }[proof]
        return tokens(await redeem(world, value(code), client, changes))
      }
      case "refresh": {
        const { token, client, scope } = operation
        const fields = {
          grant_type: "refresh_token",
          refresh_token: value(token),
          ...(scope === undefined ? {} : { scope: scope.join(" ") }),
        }
        return tokens(await post(world, "/connect/token", client, fields))
      }
      case "revoke":
        return acknowledged(await post(world, "/connect/revocation", operation.client, { token: value(operation.token) }))
      case "withdraw":
        return went(await submit("withdrawConsent", ["client_id", operation.client]))
      case "end session": {
        const [mine] = home["sessions"] as ReadonlyArray<{ readonly id: string }>
        const outcome = went(await submit("endSession", ["session", mine?.id ?? ""]))
        home = await homeOf(visitor)
        return outcome
      }
      case "enable":
        if (person !== undefined) for (const { people } of worlds) people.set(person.subject, { ...person, active: operation.active })
        return { tag: "done" }
      case "pass":
        world.pass(operation.seconds)
        return { tag: "done" }
      case "sweep":
        while ((await subject.sweep(world.now())).more);
        return { tag: "done" }
      case "introspect": {
        const { json, status } = await post(world, "/connect/introspect", operation.client, { token: value(operation.token) })
        return status === 200
          ? { tag: "active", active: json?.["active"] === true }
          : { tag: "refused", status, error: String(json?.["error"]) }
      }
      case "userinfo": {
        const answer = await userinfo(world, value(operation.token))
        return answer.status === 200 ? { tag: "claims" } : refused(answer)
      }
    }
  }
  return { world, perform }
}

/** Signs in, and opens the page whose forms withdraw and end. */
const homeOf = async (visitor: Visitor): Promise<Record<string, unknown>> => {
  await signIn(visitor)
  const { page } = await visitor.get("/")
  if (page?.["_tag"] !== "Home") throw new Error("nobody is at home")
  return page
}
