import { expect, test } from "vitest"
import { connections } from "./connections.ts"
import { lostAnswers } from "./lostAnswers.ts"
import { restart } from "./restart.ts"

const quietly = { seed: 13, say: () => undefined }

test("a rotation whose answer is lost is asked for again within the grace: the session is kept, and no token has two successors (R3)", async () => {
  const { lost, problems, figures } = await lostAnswers({ ...quietly, times: 64 }, 8, 2)
  expect(problems).toEqual([])
  expect([lost, figures["forks"]]).toEqual([0, 0])
}, 180_000)

test("two servers on one database are restarted in turn under load: nothing acknowledged is lost, nothing is spent twice (R13)", async () => {
  // A connection may be taken by the kernel and accepted by nobody under load; the command counts those.
  const { lost, problems, figures } = await restart({ ...quietly, times: 2 }, 16)
  expect([lost, figures["spent twice"], figures["refused with 503"]], problems.join("\n")).toEqual([0, 0, 0])
  expect(Number(figures["facts looked at"])).toBeGreaterThan(10)
}, 180_000)

test("five hundred idle and slow connections cost good requests nothing (R9)", async () => {
  const small = { idle: 400, slowHeaders: 60, slowBodies: 40, perSecond: 40, seconds: 2, untilCut: false }
  const { lost, problems, figures } = await connections({ ...quietly, times: 1 }, small)
  expect(problems).toEqual([])
  expect(lost).toBe(0)
  expect(figures["kept ones still open"]).toBe(400)
}, 180_000)
