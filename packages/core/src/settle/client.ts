import * as Effect from "effect/Effect"
import { type Client, type Decision, type Refusal, isPublic } from "../model/index.ts"
import type { PortFailed, Ports } from "../ports/index.ts"
import { afterwards, mapped, onward, unbroken } from "../ports/steps.ts"
import { clientAuthentication, clientPresentation, presentedClient, usedBy } from "../rules/clientAuthentication.ts"
import { counted, mostFailures } from "../rules/failures.ts"
import { holdTo, profileOf } from "../rules/profile.ts"
import { type Message, type Params, addressKey } from "../wire/index.ts"
import { takePlace } from "./guesses.ts"
import type { ClientAuthentication, PresentedRequest } from "./inquiry.ts"
import { refuseJson } from "./programs.ts"
import { type Inquiry, digestOf } from "./request.ts"
import { Decided, type Stage, row } from "./stage.ts"

interface Sent {
  readonly message: Message
  readonly params: Params
}

/** A request, the client it presents, and the number of earlier wrong secrets. */
interface Presented extends PresentedRequest {
  readonly used: ClientAuthentication | undefined
}

interface Known extends Presented {
  readonly client: Client
}

/**
 * Refuses a client that used no HTTP authentication scheme, such as one with an assertion, without a challenge. No scheme would help it
 * (RFC 6749 §5.2), and client libraries show a challenge instead of the error in the body.
 */
export const unchallenged = (refusal: Refusal): Decision => refuseJson({ ...refusal, challenge: undefined })

const refuseClient = (refusal: Refusal, { presented: { presentedAssertion } }: Presented): Decision =>
  presentedAssertion === undefined ? refuseJson(refusal) : unchallenged(refusal)

/**
 * Refuses with the cost and the count of a wrong secret, so that neither time nor limits reveal which clients exist. No client's secret is
 * compared, so none can be guessed here.
 */
const refuseAsWrong = (refusal: Refusal, seen: Presented, { ports, address }: Inquiry) => {
  const { secret, clientId } = seen.presented
  if (secret === undefined || refusal.tooMany) return refuseClient(refusal, seen)
  return mapped(ports.clients.verifySecret(noClient(clientId ?? ""), secret, address), () =>
    refuseClient({ ...refusal, commands: counted(seen) }, seen),
  )
}

/** Returns an id that no client can have (RFC 6749 appendix A.1). */
const noClient = (clientId: string): string => `\n${clientId}`

/** Verifies the proof that the client authentication method of the request requires. */
const proved: Stage<Known, object> = {
  // The features that declare the methods list their tables.
  tables: [],
  run: (seen, inquiry) => {
    if (isPublic(seen.client)) return Effect.succeed(seen)
    // No provider can be created with such a method.
    if (seen.used?.prove === undefined)
      return Effect.die(new Error(`client ${seen.client.clientId} authenticates by a way that proves nothing`))
    return seen.used.prove.run(seen, inquiry)
  },
}

/** Authenticates the client. */
const proving = row<Presented>(refuseClient).judge(clientPresentation).judge(clientAuthentication, refuseAsWrong).through(proved)

/** Turns a throw into a defect of the effect, so that the slot of the guess is released. */
const unthrown = <A, E>(run: () => Effect.Effect<A, E>): Effect.Effect<A, E> => {
  try {
    return run()
  } catch (defect) {
    return Effect.die(defect)
  }
}

/**
 * Authenticates with a slot for guesses of the client's secret, if the request contains a guess. A wrong secret is counted before the
 * response is sent.
 */
const placed: Stage<Omit<Presented, "failures">, Known> = {
  tables: proving.tables,
  run: (seen, inquiry) => {
    const { failuresKey } = seen
    if (failuresKey === undefined) return proving.run(Object.assign(seen, { failures: undefined }), inquiry)
    // A guess counts even if its sender disconnects.
    return unbroken(
      onward(takePlace(failuresKey, mostFailures, inquiry), ({ failures, leave }) => {
        let isCounted = false
        const ending = onward(
          unthrown(() => proving.run(Object.assign(seen, { failures }), inquiry)),
          (end): Effect.Effect<Known | Decided, PortFailed> => {
            const wrong = end instanceof Decided && end.decision._tag === "RefuseJson" ? end.decision.refusal : undefined
            if (wrong === undefined || wrong.commands.length === 0) return Effect.succeed(end)
            return mapped(inquiry.ports.tokens.commit(wrong.commands), (outcome) => {
              isCounted = outcome === "Committed"
              return new Decided(refuseJson({ ...wrong, commands: [] }))
            })
          },
        )
        return afterwards(ending, () => leave(isCounted))
      }),
    )
  },
}

const loaded = row<Sent>(refuseJson)
  .read(({ message, params }, { ports, now, address, trace, parts: { clientAuthentication: means } }) => {
    const presented = presentedClient(message.headers["authorization"], params)
    const { clientId, secret } = presented
    return onward(clientId === undefined ? Effect.succeed(undefined) : ports.clients.find(clientId), (client) => {
      const profile = client && profileOf(client, ports.settings)
      if (profile !== undefined) holdTo(profile, trace)
      const used = client && usedBy({ presented, message }, client, means)
      const about = {
        clientId: client?.clientId,
        profile,
        ...(used === undefined ? {} : { facts: { "client authentication": used.method } }),
      }
      const guessed = secret !== undefined || used?.secret !== undefined
      const key = guessed && address !== undefined ? failuresKeyOf(client, clientId ?? "", address, ports) : unguessed
      return mapped(key, (failuresKey) => ({ presented, now, client, means, used, failuresKey, profile, about }))
    })
  })
  .through(placed)

const unguessed: Effect.Effect<string | undefined> = Effect.succeed(undefined)

/** Authenticates the client. Every row of an endpoint for programs has this stage. */
export const authenticated: Stage<Sent, { readonly client: Client }> = {
  tables: loaded.tables,
  run: ({ message, params }, inquiry) =>
    mapped(loaded.run({ message, params }, inquiry), (end) => (end instanceof Decided ? end : { client: end.client })),
}

/** The keys under which wrong secrets are counted, by address. A client uses few addresses for all its token requests. */
const failuresKeys = new WeakMap<Client, Map<string, string>>()

/** The maximum number of addresses of a client whose keys are cached. */
const mostAddresses = 100

const failuresKeyOf = (client: Client | undefined, clientId: string, address: string, ports: Ports): Effect.Effect<string, PortFailed> => {
  const known = (client && failuresKeys.get(client)) ?? new Map<string, string>()
  const key = known.get(address)
  if (key !== undefined) return Effect.succeed(key)
  return mapped(digestOf(ports, `postern client ${JSON.stringify([clientId, addressKey(address)])}`), (made) => {
    if (client === undefined) return made
    if (known.size >= mostAddresses) known.clear()
    failuresKeys.set(client, known.set(address, made))
    return made
  })
}
