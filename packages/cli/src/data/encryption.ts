import { type KeyEncryption, keyEncryption } from "@postern/core/jose"
import * as Redacted from "effect/Redacted"
import type { Setup } from "../config/setup.ts"

/** What a configuration seals signing keys and secrets with; undefined where it states no key for that. */
export const encryptionOf = (setup: Pick<Setup, "keyEncryptionKey"> | undefined): KeyEncryption | undefined =>
  setup?.keyEncryptionKey === undefined ? undefined : keyEncryption(Redacted.value(setup.keyEncryptionKey))
