import { spawn } from "node:child_process"
import { chmodSync, copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const program = "/usr/sbin/nginx"

/** True where tests that need nginx run: where Debian's is installed, and where the environment says so. */
export const nginxThere = existsSync(program) || process.env["POSTERN_REQUIRE_NGINX"] === "1"

/** One request as nginx wrote it down. */
export interface Passed {
  readonly method: string
  readonly path: string
  readonly status: number
  /** The ports of the servers it was sent to, in order; more than one where the first took no connection. */
  readonly ports: ReadonlyArray<number>
}

/** A running nginx. */
export interface Nginx {
  /** Requests that it has passed on so far. */
  readonly passed: () => ReadonlyArray<Passed>
  /** Failures of servers that had taken the connection, in nginx's own words. */
  readonly faults: () => ReadonlyArray<string>
  readonly stop: () => Promise<void>
}

const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]

/** Starts nginx with `examples/cluster/nginx.conf` on a port of 127.0.0.1, in front of servers on others, and waits until it answers. */
export const startNginx = async (port: number, ports: ReadonlyArray<number>): Promise<Nginx> => {
  const folder = mkdtempSync(join(tmpdir(), "postern-nginx-"))
  // Started as root, it works as www-data, which has to get in.
  chmodSync(folder, 0o755)
  const at = (name: string): string => join(folder, name)
  copyFileSync(fileURLToPath(new URL("../../../examples/cluster/nginx.conf", import.meta.url)), at("nginx.conf"))
  const places = temporary.map((each) => `${each}_temp_path ${at(each)};\n`).join("")
  writeFileSync(at("listen.conf"), `listen 127.0.0.1:${port};\n${places}`)
  const line = (each: number): string => `server 127.0.0.1:${each} max_fails=3 fail_timeout=2s;\n`
  writeFileSync(at("servers.conf"), ports.map(line).join(""))
  const read = (name: string): string => (existsSync(at(name)) ? readFileSync(at(name), "utf8") : "")
  const args = ["-p", folder, "-c", at("nginx.conf"), "-e", at("error.log"), "-g", "daemon off;"]
  const child = spawn(program, args, { stdio: ["ignore", "ignore", "pipe"] })
  let output = ""
  child.stderr.on("data", (chunk: Buffer) => void (output += chunk.toString()))
  const over = (): boolean => child.exitCode !== null || child.signalCode !== null
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()))
  const log = (): string => output + read("error.log")
  const stop = async (): Promise<void> => {
    if (!over()) child.kill("SIGTERM")
    const late = setTimeout(() => child.kill("SIGKILL"), 10_000)
    if (!over()) await exited
    clearTimeout(late)
    rmSync(folder, { recursive: true, force: true })
  }
  // Taken along when this process ends in another way.
  process.once("exit", () => over() || child.kill("SIGKILL"))
  const answers = (): Promise<boolean> =>
    fetch(`http://127.0.0.1:${port}/metrics`).then(
      (response) => response.status === 404,
      () => false,
    )
  for (let tries = 0; !(await answers()); tries++) {
    if (over() || tries > 400) {
      const said = log()
      await stop()
      throw new Error(`nginx did not start: ${said}`)
    }
    await pause(25)
  }
  return {
    passed: () =>
      read("access.log")
        .split("\n")
        .filter((line) => line !== "")
        .map(passedOf),
    faults: () =>
      log()
        .split("\n")
        .filter((line) => line.includes("[error]") && !line.includes("Connection refused")),
    stop,
  }
}

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds))

const passedOf = (line: string): Passed => {
  const [, , method = "", path = "", status, ...rest] = line.split(" ")
  const ports = [...rest.join(" ").matchAll(/127\.0\.0\.1:(\d+)/g)].map(([, each]) => Number(each))
  return { method, path, status: Number(status), ports }
}
