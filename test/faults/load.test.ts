import { expect, test } from "vitest"
import { type Sample, slopeOf, soak } from "./soak.ts"
import { throughput } from "./throughput.ts"

const quietly = { seed: 18, say: () => undefined }

test("what is asked as fast as it is answered is answered, and four times that is answered, shed or left waiting, and over once it stops (R10)", async () => {
  const { problems, figures } = await throughput({ ...quietly, times: 1 }, { seconds: 0.5, lines: 16, crowd: 1_200, held: false })
  expect(problems).toEqual([])
  expect(Number(figures["reference tokens a second"])).toBeGreaterThan(0)
  expect(Number(figures["sign-ins a second without the hash"])).toBeGreaterThan(0)
}, 120_000)

test("served for a while with everything expiring, it keeps what it promised, and nothing grows out of bounds (R11)", async () => {
  const { lost, problems, times } = await soak({ ...quietly, times: 0.05 }, 4)
  expect(problems).toEqual([])
  expect(lost).toBe(0)
  expect(times).toBeGreaterThan(10)
}, 120_000)

test("a slope is told of a line that rises, and none of one that does not", () => {
  const samples = (grows: number): ReadonlyArray<Sample> =>
    Array.from({ length: 21 }, (_, each) => ({
      at: each / 10,
      memory: 100 + grows * (each / 10 - 1),
      files: 0,
      log: 0,
      database: 0,
      overdue: 0,
    }))
  const memory = (sample: Sample): number => sample.memory
  expect(slopeOf(samples(7), memory)).toBeCloseTo(7)
  expect(slopeOf(samples(0), memory)).toBeCloseTo(0)
})
