import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
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

const root = join(import.meta.dirname, "../..")

/** Reads a file in a process of its own, which handles signals as a command does. */
const reader = (file: string) => {
  const script = `for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => process.exit(9))
    const { bytesOf } = await import(${JSON.stringify(join(root, "packages/cli/src/config/bytes.ts"))})
    console.log("reading")
    try { console.log(bytesOf(${JSON.stringify(file)}).length, process.listenerCount("SIGINT"), process.listenerCount("SIGTERM")) } catch (error) { console.log(error.message) }`
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], { stdio: ["pipe", "pipe", "inherit"] })
  child.stdout.setEncoding("utf8")
  return child
}

const readingBegun = async (child: ReturnType<typeof reader>): Promise<void> => {
  for (let text = ""; !text.includes("reading");) text += String((await once(child.stdout, "data"))[0])
}

describe.skipIf(process.platform === "win32")("a pipe", () => {
  const pipe = (): string => {
    const file = join(mkdtempSync(join(tmpdir(), "postern-pipe-")), "pipe")
    execFileSync("mkfifo", [file])
    return file
  }

  test("to which no one writes is given up", { timeout: 20_000 }, () => {
    const file = pipe()
    const unwritten = new Failed({
      message: `${file} is a pipe to which no one writes`,
      hint: "start the program that writes to it first",
      details: [],
    })
    expect(() => bytesOf(file)).toThrow(unwritten)
  })

  test("is read to its end, from a writer that starts later and takes its time", { timeout: 20_000 }, async () => {
    const file = pipe()
    const child = reader(file)
    await readingBegun(child)
    const shown = once(child.stdout, "data")
    execFileSync("sh", ["-c", `(printf abc; sleep 0.2; printf de) > ${file}`])
    expect(String((await shown)[0])).toBe("5 1 1\n")
  })

  test.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)("ends with the command at %s", { timeout: 20_000 }, async (signal) => {
    for (const file of [pipe(), "-"]) {
      const child = reader(file)
      const ended = once(child, "exit")
      await readingBegun(child)
      // One that comes just before the read is handled only after it.
      const again = setInterval(() => child.kill(signal), 100)
      const [, by] = (await ended) as [unknown, NodeJS.Signals | null]
      clearInterval(again)
      expect(by, file).toBe(signal)
    }
  })

  test("of another program on standard input may be empty for a while", { timeout: 20_000 }, async () => {
    const child = reader("-")
    await readingBegun(child)
    const shown = once(child.stdout, "data")
    child.stdin.write("abc")
    child.stdin.end("de")
    expect(String((await shown)[0])).toBe("5 1 1\n")
  })
})
