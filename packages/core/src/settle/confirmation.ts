import * as Effect from "effect/Effect"
import { type Client, type Confirmation, type Profile, boundByKind, certificateBound, keyBound, refuse } from "../model/index.ts"
import type { PortFailed } from "../ports/index.ts"
import { mapped, onward } from "../ports/steps.ts"
import { profileOf } from "../rules/profile.ts"
import { pass, table } from "../rules/rule.ts"
import type { Confirming, ForetellingRequest, Foretold, Inquiry, ProvingRequest } from "./inquiry.ts"
import { refuseJson } from "./programs.ts"
import { Decided, type Stage, row } from "./stage.ts"

/** Proofs of a request: what each way has found proved, in the order of the features. */
type Proofs = ReadonlyMap<Confirming, Confirmation>

const noProofs: Effect.Effect<Proofs> = Effect.succeed(new Map())

/** Judges the proofs of a request by every way that there is. */
export const proofsOf = (request: ProvingRequest, inquiry: Inquiry): Effect.Effect<Proofs | Decided, PortFailed> => {
  const next = (at: number, proofs: Proofs): Effect.Effect<Proofs | Decided, PortFailed> => {
    const way = inquiry.parts.confirmations[at]
    if (way === undefined) return Effect.succeed(proofs)
    return onward(way.prove.run({ ...request }, inquiry), (end) => {
      if (end instanceof Decided) return Effect.succeed(end)
      return next(at + 1, end.confirmation === undefined ? proofs : new Map([...proofs, [way, end.confirmation]]))
    })
  }
  return inquiry.parts.confirmations.length === 0 ? noProofs : next(0, new Map())
}

/** The members by which clients have all their tokens bound (RFC 9449 §5.2, RFC 8705 §3.4). */
const binding: ReadonlyArray<string> = [keyBound[1], certificateBound[1]]

/** Reports whether a client has all tokens bound in a way that no feature of the provider knows: it was registered where one does. */
const isBeyond = (client: Client, { parts }: Inquiry): boolean =>
  binding.some(
    (name) => client.members[name] === true && !parts.confirmations.some(({ isRequired }) => isRequired({ members: { [name]: true } })),
  )

/** Reports whether all tokens of a client are to be bound, in whatever way. */
export const mustBeBound = (client: Client, inquiry: Inquiry): boolean =>
  requiredOf(client, inquiry).length > 0 ||
  isBeyond(client, inquiry) ||
  profileOf(client, inquiry.ports.settings).parameters.senderConstraint !== "by-client"

/** The ways by which all tokens of a client are to be bound. */
export const requiredOf = (client: Client, { parts }: Inquiry): ReadonlyArray<Confirming> =>
  parts.confirmations.filter(({ isRequired }) => isRequired(client))

/** Judges what a request for authorization says of the key that its code is to be bound to, by every way that there is (RFC 9449 §10). */
export const foretold = (request: ForetellingRequest, inquiry: Inquiry): Effect.Effect<Foretold | Decided, PortFailed> => {
  const next = (at: number, before: Foretold): Effect.Effect<Foretold | Decided, PortFailed> => {
    const way = inquiry.parts.confirmations[at]
    if (way === undefined) return Effect.succeed(before)
    if (way.foretell === undefined) return next(at + 1, before)
    return onward(way.foretell.run({ ...request }, inquiry), (end) =>
      end instanceof Decided
        ? Effect.succeed(end)
        : next(at + 1, { confirmation: before.confirmation ?? end.confirmation, kept: [...(before.kept ?? []), ...(end.kept ?? [])] }),
    )
  }
  return next(0, {})
}

interface Proved {
  readonly proofs: Proofs
  readonly required: ReadonlyArray<Confirming>
  /** True if the client requires a way that the provider has not. */
  readonly beyond: boolean
  /** The profile that the client is held to. */
  readonly profile: Profile
}

/** The keys and certificates that were proved, with their ways, first the required ones; only certificates where the profile takes no keys. */
const takenOf = ({ proofs, required, profile }: Proved): ReadonlyArray<readonly [Confirming, Confirmation]> => {
  const all = [...required, ...proofs.keys()].flatMap((way) => {
    const found = proofs.get(way)
    return found === undefined ? [] : [[way, found] as const]
  })
  return profile.parameters.senderConstraint === "certificate" ? all.filter(([, each]) => "x5t#S256" in each) : all
}

const bound = table<Proved>("token/confirmation")
  .rule("token.confirmation", "RFC 9449 §5.2, RFC 8705 §3.4", ({ proofs, required, beyond }) =>
    !beyond && required.every((way) => proofs.has(way))
      ? pass
      : refuse(
          "invalid_request",
          "The client's tokens must be bound to a key or a certificate.",
          beyond
            ? "no feature of this provider binds them as the client requires"
            : "the request proves none, or not the one that is required",
        ),
  )
  .rule("token.confirmation-one", "RFC 7800 §3.1", ({ required }) =>
    required.length <= 1
      ? pass
      : refuse(
          "unauthorized_client",
          "The client's tokens cannot be bound in two ways.",
          "two features require to bind all tokens of the client, and a token has one confirmation",
        ),
  )
  .rule("token.confirmation-profile", "FAPI 2.0 Security Profile §5.3.2.1 (4, 5), FAPI 1.0 Part 2 §5.2.2 (5)", (s) => {
    const { name, parameters } = s.profile
    return parameters.senderConstraint === "by-client" || takenOf(s).length > 0
      ? pass
      : refuse(
          "invalid_request",
          `The client's tokens must be bound to a ${parameters.senderConstraint === "certificate" ? "certificate" : "key or a certificate"}.`,
          `the client is held to the profile ${name}, and the request proves none`,
        )
  })

/** The key or certificate that a request proves, for its trail. */
const boundTold = (confirmation: Confirmation | undefined): string => {
  if (confirmation === undefined) return "nothing"
  return "jkt" in confirmation ? "a key" : "a certificate"
}

type TokenRequest = Omit<ProvingRequest, "accessToken">

const proved = row<TokenRequest>(refuseJson)
  .read(({ message, client }, inquiry) =>
    mapped(proofsOf({ message, client, accessToken: undefined }, inquiry), (proofs) =>
      proofs instanceof Decided
        ? proofs
        : {
            proofs,
            required: requiredOf(client, inquiry),
            beyond: isBeyond(client, inquiry),
            profile: profileOf(client, inquiry.ports.settings),
          },
    ),
  )
  .judge(bound)
  .read((s, inquiry) => {
    const [[way, confirmation] = []] = takenOf(s)
    const wanted = way?.binds?.(s.client, inquiry.ports.settings) ?? boundByKind(s.client)
    const binding = { ...wanted, access: wanted.access || mustBeBound(s.client, inquiry) }
    return {
      about: {
        confirmation,
        proved: s.proofs.size === 0 ? undefined : [...s.proofs.values()],
        binding,
        facts: { "tokens bound to": boundTold(confirmation) },
      },
    }
  })

/** Proves what the tokens of a request are bound to: first what its client requires. */
export const confirmed: Stage<TokenRequest, object> = {
  tables: proved.tables,
  run: (seen, inquiry) =>
    inquiry.parts.confirmations.length === 0 && !mustBeBound(seen.client, inquiry) ? Effect.succeed(seen) : proved.run(seen, inquiry),
}

/** Judges the proofs of a request that gets no token yet: a wrong one is refused where it is sent (RFC 9449 §5). */
export const proofsJudged: Stage<TokenRequest, object> = {
  tables: [],
  run: ({ message, client }, inquiry) =>
    mapped(proofsOf({ message, client, accessToken: undefined }, inquiry), (proofs) => (proofs instanceof Decided ? proofs : {})),
}
