import { existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it, onTestFinished } from "vitest"
import { forgotten, used } from "../support/ownFolder.ts"

/** A folder with folders in it, each made so many minutes ago. */
const holding = (ages: Readonly<Record<string, number>>): string => {
  const home = mkdtempSync(join(tmpdir(), "postern-own-"))
  onTestFinished(() => rmSync(home, { recursive: true }))
  for (const [name, minutes] of Object.entries(ages)) {
    mkdirSync(join(home, name))
    utimesSync(join(home, name), new Date(), Date.now() / 1000 - minutes * 60)
  }
  return home
}

const left = (home: string, names: ReadonlyArray<string>): ReadonlyArray<string> => names.filter((name) => existsSync(join(home, name)))

it("of what stays between runs the newest is kept, and what was left by a run that has ended goes", () => {
  const home = holding({ newest: 61, newer: 70, older: 80, "draft-abandoned": 90 })
  forgotten(home, 2)
  expect(left(home, ["newest", "newer", "older", "draft-abandoned"])).toEqual(["newest", "newer"])
})

it("a draft that another run is about to make is kept, however many newer things there are", () => {
  const home = holding({ one: 0, two: 0, three: 0, "draft-busy": 5 })
  forgotten(home, 2)
  expect(left(home, ["one", "two", "three", "draft-busy"])).toEqual(["one", "two", "three", "draft-busy"])
})

it("what another run uses is kept, however long ago it was made", () => {
  const home = holding({ one: 0, two: 0, used: 600, unused: 600 })
  used(join(home, "used"))
  used(join(home, "removed meanwhile"))
  forgotten(home, 2)
  expect(left(home, ["used", "unused"])).toEqual(["used"])
})
