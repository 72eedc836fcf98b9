import { expect, test } from "vitest"
import { bytesOf } from "../../packages/cli/src/config/bytes.ts"
import { readConfigText } from "../../packages/cli/src/config/file.ts"
import { surroundingsOf } from "../../packages/cli/src/config/surroundings.ts"
import { Failed } from "../../packages/cli/src/failure.ts"

const tooLarge = new Failed({ message: "/dev/zero is larger than 64 MiB", hint: "check that it is the file that you mean", details: [] })

test.skipIf(process.platform === "win32")("a file that never ends is given up, whoever reads it", () => {
  expect(() => bytesOf("/dev/zero")).toThrow(tooLarge)
  expect(() => readConfigText("/dev/zero")).toThrow(tooLarge)
  expect(surroundingsOf("/postern.jsonc").text("/dev/zero")).toBeUndefined()
})
