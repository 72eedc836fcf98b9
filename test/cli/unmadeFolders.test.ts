import { spawnSync } from "node:child_process"
import { expect, it, onTestFinished, vi } from "vitest"
import { command } from "../support/packed.ts"
import { folder, patience } from "./run.ts"

vi.setConfig({ testTimeout: 3 * patience })

/** Runs the command. One that never returns from a call of the system ends by SIGKILL alone. */
const ran = (cwd: string, args: ReadonlyArray<string>, env: Readonly<Record<string, string>> = {}) => {
  const { NODE_COMPILE_CACHE: _none, ...own } = process.env
  const { status, signal, stderr } = spawnSync(process.execPath, [command, ...args], {
    cwd,
    encoding: "utf8",
    timeout: patience / 3,
    killSignal: "SIGKILL",
    env: { ...own, NO_COLOR: "1", ...env },
  })
  return { status, signal, stderr }
}

// A folder in /proc cannot be made, and the system says ENOENT, as it does below an automounter (POSIX mkdir(2)).
it.skipIf(process.platform !== "linux")("a folder that the system will not make is told, for the database and for a restored one", () => {
  const { cwd, remove } = folder({ issuer: "https://id.example.com", data: "/proc/postern/data" })
  onTestFinished(remove)
  const add = ["client", "add", "web", "--redirect-uri", "https://app.example.com/cb"]
  expect(ran(cwd, add)).toEqual({
    status: 1,
    signal: null,
    stderr:
      "postern: /proc/postern/data/postern.sqlite: the file cannot be made; check its directory, its permissions and the free space\n",
  })
  expect(ran(cwd, [...add, "--data", "own/data"])).toMatchObject({ status: 0 })
  expect(ran(cwd, ["backup", "kept.sqlite", "--data", "own/data"])).toMatchObject({ status: 0 })
  expect(ran(cwd, ["restore", "kept.sqlite"])).toMatchObject({
    status: 1,
    stderr: expect.stringContaining(
      "/proc/postern/data/postern.sqlite: nothing was restored; check that its folder can be written to (ENOENT)",
    ),
  })
})

it
  .skipIf(process.platform !== "linux")
  .for([{ CACHE_DIRECTORY: "/proc/1" }, { CACHE_DIRECTORY: "/proc/postern/cache" }, { XDG_CACHE_HOME: "/proc/postern" }])(
  "a place where no compiled code can be kept, %o, holds up no command",
  (env) => {
    const { cwd, remove } = folder({ issuer: "https://id.example.com" })
    onTestFinished(remove)
    expect(ran(cwd, ["check-config", "postern.json"], env)).toMatchObject({ status: 0, signal: null })
  },
)
