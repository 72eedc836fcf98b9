import { formats, inProcess, requirements, run } from "@postern/conformance"
import { expect, it } from "vitest"

it("the report of a run that was interrupted has every requirement, and says which ones it did not reach", async () => {
  const asked = requirements.slice(0, 6)
  const stop = new AbortController()
  const report = await run(inProcess(), asked, {
    signal: stop.signal,
    onResult: (_, done) => {
      if (done === 2) stop.abort()
    },
  })
  expect(report.results.map(({ requirement: { id } }) => id)).toEqual(asked.map(({ id }) => id))
  expect(report.results.slice(0, 2).map(({ verdict }) => verdict)).toEqual(["pass", "pass"])
  expect(report.results.slice(2).map(({ verdict, reason }) => [verdict, reason])).toEqual(
    Array.from({ length: 4 }, () => ["skip", "the run was interrupted before it"]),
  )
  expect(formats.junit(report)).toContain('tests="6" failures="0" errors="0" skipped="4"')
})

it("the report of a run that ends by itself has nothing of the kind, whatever its signal does later", async () => {
  const stop = new AbortController()
  const report = await run(inProcess(), requirements.slice(0, 3), { signal: stop.signal })
  stop.abort()
  expect(report.results.map(({ verdict }) => verdict)).toEqual(["pass", "pass", "pass"])
})
