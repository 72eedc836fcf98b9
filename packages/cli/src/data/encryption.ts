import { type KeyEncryption, keyEncryption } from "@postern/core/jose"
import * as Redacted from "effect/Redacted"
import type { Setup } from "../config/setup.ts"

/** The encryption of signing keys and secrets by a configuration; undefined if it states no key for that. */
export const encryptionOf = (setup: Pick<Setup, "keyEncryptionKey"> | undefined): KeyEncryption | undefined =>
  setup?.keyEncryptionKey === undefined ? undefined : keyEncryption(Redacted.value(setup.keyEncryptionKey))
