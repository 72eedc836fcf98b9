import type { Secret } from "./secretSchema.ts"
import type { Surroundings } from "./surroundings.ts"

/** The text of a secret, or the reason for which it cannot be read. */
export type SecretText = { readonly text: string } | { readonly message: string; readonly hint: string }

/** Reads a secret from the configured source. */
export const secretText = (secret: Secret, around: Surroundings): SecretText => {
  if (typeof secret === "string") {
    const reference = /^(env|file):(.+)$/s.exec(secret)
    return reference === null
      ? { text: secret }
      : { message: "is meant as a reference but written as a text", hint: `write { "${reference[1]}": "${reference[2]}" }` }
  }
  if ("env" in secret) {
    const text = around.env(secret.env)
    if (text !== undefined && text !== "") return { text }
    return {
      message: `the environment variable ${secret.env} is ${text === "" ? "empty" : "not set"}`,
      hint: "set it for the process that starts Postern",
    }
  }
  const text = around.text(secret.file)?.replace(/\r?\n$/, "")
  if (text !== undefined && text !== "") return { text }
  return text === ""
    ? { message: `the file ${secret.file} is empty`, hint: "write the secret into it" }
    : {
        message: `the file ${secret.file} cannot be read`,
        hint: "check that it exists and that this user can read it; relative paths start from the configuration's folder",
      }
}
