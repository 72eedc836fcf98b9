import { createHash } from "node:crypto"
import { memoryTokenStore } from "@postern/core/memory"
import { compose, defaultProfile, secretOf } from "@postern/core"
import * as Effect from "effect/Effect"
import { webTimer } from "../../packages/core/src/platform/timer.ts"
import type { Ports } from "../../packages/core/src/ports/index.ts"
import { TokenStore, atOnce } from "../../packages/core/src/ports/index.ts"
import { tracing } from "../../packages/core/src/rules/rule.ts"
import { noDocuments } from "../../packages/core/src/settle/documents.ts"
import { noGuesses } from "../../packages/core/src/settle/guesses.ts"
import type { Inquiry } from "../../packages/core/src/settle/request.ts"

/** The time at which inquiries come, in seconds. */
export const now = 1_800_000_000

export const issuer = "https://id.example"

/** SHA-256 of a text, base64url, as the digest port computes it. */
export const sha256 = (text: string): string => createHash("sha256").update(text).digest("base64url")

export const sha512 = (text: string): string => createHash("sha512").update(text).digest("base64url")

/** Builds an inquiry over a store in memory; a function under test reaches no port but those told and the few here. */
export const inquiryOf = (
  { settings, ...ports }: { readonly [Name in keyof Ports]?: unknown } = {},
  told: Partial<Inquiry> = {},
): Inquiry => {
  let drawn = 0
  const usual = {
    tokens: TokenStore.from(memoryTokenStore(), atOnce),
    digest: { sha256: (text: string) => Effect.succeed(sha256(text)), sha512: (text: string) => Effect.succeed(sha512(text)) },
    entropy: { bytes: (length: number) => new Uint8Array(length).fill(++drawn) },
    accountKey: () => secretOf("the account key"),
    outward: { wait: (_host: string, _port: string, _operation: string, ask: () => unknown) => ask() },
    settings: {
      issuer,
      profile: defaultProfile,
      rulesOff: new Set<string>(),
      members: {},
      sessionLifetime: 3600,
      interactionLifetime: 600,
      ...(settings as object | undefined),
    },
    knownClients: ports.clients,
    patience: { timer: webTimer, milliseconds: 20_000 },
    ...ports,
  }
  return {
    // The ports that are not told are reached by no function that is tried here.
    ports: usual as unknown as Ports,
    requestId: "request",
    address: "192.0.2.7",
    millis: now * 1000,
    now,
    trace: tracing(new Set()),
    nonce: () => "nonce",
    remote: noDocuments(),
    guesses: noGuesses(),
    parts: compose(),
    about: {
      clientId: undefined,
      subject: undefined,
      profile: undefined,
      uiLocales: undefined,
      askedAt: undefined,
      tenant: undefined,
      callback: undefined,
      account: undefined,
      confirmation: undefined,
      proved: undefined,
      binding: undefined,
      facts: undefined,
    },
    changes: [],
    spent: [],
    headers: [],
    kept: { guess: undefined, isRight: false, verification: undefined, upstream: undefined },
    ...told,
  }
}

/** The same surroundings at another time or with other members, with a trace of its own. */
export const later = (inquiry: Inquiry, told: Partial<Inquiry>): Inquiry => ({ ...inquiry, trace: tracing(new Set()), ...told })

export const run = <A, E>(effect: Effect.Effect<A, E>): Promise<A> => Effect.runPromise(effect)

/** Runs an effect that must fail, and answers its error. */
export const failureOf = <A, E>(effect: Effect.Effect<A, E>): Promise<E> => Effect.runPromise(Effect.flip(effect))
