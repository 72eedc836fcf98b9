import { KeysContended } from "@postern/core/jose"
import { StoreUnavailable } from "@postern/stores"
import { expect, test } from "vitest"
import { keyFailure } from "../../packages/cli/src/data/keyCare.ts"

test("keys that other processes kept changing are a failure that may be tried again, and no internal error (KeysContended)", () => {
  expect(keyFailure(new KeysContended("other processes kept changing the signing keys"))).toMatchObject({
    _tag: "Failed",
    message: "other processes kept changing the signing keys",
    hint: "nothing was changed; try again",
  })
  // Whoever knows the place of the database tells of its errors.
  for (const other of [new StoreUnavailable("add signing keys", "SQLITE_FULL"), new Error("a defect")])
    expect(keyFailure(other)).toBe(other)
})
