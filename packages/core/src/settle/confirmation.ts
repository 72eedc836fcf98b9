import * as Effect from "effect/Effect"
import { type Client, type Confirmation, type Profile, boundByKind, certificateBound, keyBound, refuse } from "../model/index.ts"
import type { PortFailed } from "../ports/index.ts"
import { mapped, onward } from "../ports/steps.ts"
import { profileOf } from "../rules/profile.ts"
import { pass, table } from "../rules/rule.ts"
import type { Confirming, ForetellingRequest, Foretold, Inquiry, ProvingRequest } from "./inquiry.ts"
import { refuseJson } from "./programs.ts"
import { Decided, type Stage, row } from "./stage.ts"

/** The proofs of a request, by confirmation method, in the order of the features. */
type Proofs = ReadonlyMap<Confirming, Confirmation>

const noProofs: Effect.Effect<Proofs> = Effect.succeed(new Map())

/** Verifies the proofs of a request with every confirmation method. */
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

/** The client metadata that require all tokens to be bound (RFC 9449 §5.2, RFC 8705 §3.4). */
const binding: ReadonlyArray<string> = [keyBound[1], certificateBound[1]]

/**
 * Reports whether a client requires a confirmation method that no feature of the provider has, because it was registered at a provider that
 * has it.
 */
const isBeyond = (client: Client, { parts }: Inquiry): boolean =>
  binding.some(
    (name) => client.members[name] === true && !parts.confirmations.some(({ isRequired }) => isRequired({ members: { [name]: true } })),
  )

/** Reports whether all tokens of a client must be bound, by any method. */
export const mustBeBound = (client: Client, inquiry: Inquiry): boolean =>
  requiredOf(client, inquiry).length > 0 ||
  isBeyond(client, inquiry) ||
  profileOf(client, inquiry.ports.settings).parameters.senderConstraint !== "by-client"

/** Returns the confirmation methods that the client requires for all its tokens. */
export const requiredOf = (client: Client, { parts }: Inquiry): ReadonlyArray<Confirming> =>
  parts.confirmations.filter(({ isRequired }) => isRequired(client))

/** Reads the key to which the code of an authorization request will be bound, with every confirmation method (RFC 9449 §10). */
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
  /** True if the client requires a method that the provider does not have. */
  readonly beyond: boolean
  /** The profile that applies to the client. */
  readonly profile: Profile
}

/**
 * Returns the proved keys and certificates with their methods, required ones first. It returns only certificates if the profile accepts no
 * keys.
 */
const takenOf = ({ proofs, required, profile }: Proved): ReadonlyArray<readonly [Confirming, Confirmation]> => {
  const all = [...proofs].toSorted(([left], [right]) => Number(required.includes(right)) - Number(required.includes(left)))
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

/** Describes the keys and certificates that a request proves, for its trail. */
const boundTold = (proofs: Proofs): string => {
  const told = [...proofs.values()].map((each) => ("jkt" in each ? "a key" : "a certificate"))
  return told.length === 0 ? "nothing" : told.toSorted().join(" and ")
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
            about: { facts: { "tokens bound to": boundTold(proofs) } },
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
      },
    }
  })

/** Determines the key or certificate that the tokens of a request are bound to. Required methods come first. */
export const confirmed: Stage<TokenRequest, object> = {
  tables: proved.tables,
  run: (seen, inquiry) =>
    inquiry.parts.confirmations.length === 0 && !mustBeBound(seen.client, inquiry) ? Effect.succeed(seen) : proved.run(seen, inquiry),
}

/** Verifies the proofs of a request that receives no token yet. A wrong proof is refused immediately (RFC 9449 §5). */
export const proofsJudged: Stage<TokenRequest, object> = {
  tables: [],
  run: ({ message, client }, inquiry) =>
    mapped(proofsOf({ message, client, accessToken: undefined }, inquiry), (proofs) => (proofs instanceof Decided ? proofs : {})),
}
