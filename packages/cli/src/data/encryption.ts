import { type KeyEncryption, keyEncryption } from "@postern/core/jose"
import * as Redacted from "effect/Redacted"
import type { Setup } from "../config/setup.ts"

/** Returns the encryption of signing keys and secrets; undefined if the configuration has no key for it. */
export const encryptionOf = (setup: Pick<Setup, "keyEncryptionKey"> | undefined): KeyEncryption | undefined =>
  setup?.keyEncryptionKey === undefined ? undefined : keyEncryption(Redacted.value(setup.keyEncryptionKey))
