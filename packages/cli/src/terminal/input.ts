import type { Environment } from "effect/cli/Command"
import * as Prompt from "effect/cli/Prompt"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { asFailure, type Failed, failed, type Misused } from "../failure.ts"

const most = 64 * 1024

/** Reads a secret of up to 64 KiB from standard input, without the trailing line break. */
const piped = async (what: string): Promise<Redacted.Redacted> => {
  const chunks: Array<Buffer> = []
  let size = 0
  for await (const chunk of process.stdin) {
    const bytes = Buffer.from(chunk)
    size += bytes.length
    if (size > most) throw failed(`the ${what} on standard input is too long`)
    chunks.push(bytes)
  }
  const secret = utf8(what, Buffer.concat(chunks)).replace(/\r?\n$/, "")
  if (secret === "") throw failed(`standard input has no ${what}`, `pipe it in: printf %s "$VALUE" | postern …`)
  if (/[\r\n]/.test(secret)) throw failed(`the ${what} on standard input has more than one line`, "send it alone")
  if (/\p{Cc}/u.test(secret))
    throw failed(`the ${what} on standard input contains a control character`, "it could not be entered in a form")
  return Redacted.make(secret)
}

/**
 * Decodes UTF-8. Throws on invalid bytes, which would otherwise all become the same replacement character and make the secret easier to
 * guess.
 */
const utf8 = (what: string, bytes: Uint8Array): string => {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes)
  } catch {
    throw failed(`the ${what} on standard input is not UTF-8`, "send it in that encoding")
  }
}

/** Reads a secret from standard input. */
export const secretFromInput = (what: string): Effect.Effect<Redacted.Redacted, Failed | Misused> =>
  Effect.catch(Effect.tryPromise({ try: () => piped(what), catch: (error) => error }), asFailure)

/** Runs a prompt. Ctrl-C interrupts the command. */
export const ask = <A>(prompt: Prompt.Prompt<A>): Effect.Effect<A, never, Environment> =>
  Prompt.run(prompt).pipe(Effect.catchTag("QuitError", () => Effect.interrupt))

/** Asks twice for a new password without echo, or reads it from standard input if that is not a terminal. */
export const newPassword: Effect.Effect<Redacted.Redacted, Failed | Misused, Environment> = Effect.gen(function* () {
  if (!process.stdin.isTTY) return yield* secretFromInput("password")
  const first = yield* ask(Prompt.Hidden({ message: "Password" }))
  const second = yield* ask(Prompt.Hidden({ message: "Repeat the password" }))
  if (Redacted.value(first) !== Redacted.value(second)) return yield* failed("the passwords differ", "try again")
  return first
})
