import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, test } from "vitest"
import { ownModule } from "../../packages/cli/src/config/modules.ts"

test("a module of grants that cannot be loaded is told by its own fault, however often it is asked for", () => {
  const folder = mkdtempSync(join(tmpdir(), "postern-grants-"))
  try {
    const file = join(folder, "word.mjs")
    writeFileSync(file, 'import { none } from "node:path"\nexport default none\n')
    const first = ownModule(file)
    expect(first.fault).toMatch(/^cannot be loaded: .*does not provide an export named 'none'/)
    expect(ownModule(file)).toEqual(first)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
