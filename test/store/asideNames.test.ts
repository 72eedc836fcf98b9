import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { basename, dirname } from "node:path"
import { backUp, restore } from "@postern/adapter-sqlite"
import { expect, test } from "vitest"
import { temporaryPath, temporaryStores } from "./support.ts"

test("restores within one second set each database aside under a name of its own, and none in the place of another (RestoreOptions.force)", async () => {
  const [path, copy] = [temporaryPath(), temporaryPath()]
  await temporaryStores(path).close()
  await backUp(path, copy)
  const again = { force: true, now: () => 1_795_000_000 }
  for (const log of ["first", "second"]) {
    writeFileSync(path, "damaged")
    writeFileSync(`${path}-wal`, log)
    await restore(copy, path, again)
  }
  const { aside } = await restore(copy, path, again)
  const at = `${basename(path)}.20261118-110640`
  expect(aside).toBe(`${dirname(path)}/${at}-3.aside`)
  const kept = readdirSync(dirname(path)).filter((name) => name.startsWith(`${at}`))
  expect(kept.sort()).toEqual([`${at}-2.aside`, `${at}-2.aside-wal`, `${at}-3.aside`, `${at}.aside`, `${at}.aside-wal`])
  expect([`${at}.aside-wal`, `${at}-2.aside-wal`].map((name) => readFileSync(`${dirname(path)}/${name}`, "utf8"))).toEqual([
    "first",
    "second",
  ])
})
