// Preloaded by `walk.test.ts` into a server: at SIGUSR2 it begins to note which functions run, and at the next writes the files that have one.
import { writeFileSync } from "node:fs"
import { Session } from "node:inspector"

const session = new Session()
session.connect()
const asked = (method, params) =>
  new Promise((resolve, reject) => session.post(method, params, (error, result) => (error === null ? resolve(result) : reject(error))))

let begun = false
const note = async () => {
  if (!begun) {
    begun = true
    await asked("Profiler.enable")
    await asked("Profiler.startPreciseCoverage", { callCount: true, detailed: false })
    writeFileSync(process.env.POSTERN_WALK, "begun")
    return
  }
  const { result } = await asked("Profiler.takePreciseCoverage")
  const files = result.flatMap(({ url, functions }) => {
    const ran = functions.filter(({ functionName, ranges }) => functionName !== "" && ranges[0].count > 0)
    return ran.length === 0 ? [] : [{ url, functions: ran.map(({ functionName }) => functionName) }]
  })
  writeFileSync(process.env.POSTERN_WALK, JSON.stringify(files))
}
process.on("SIGUSR2", () => void note())
