import { spawn } from "node:child_process"
import { once } from "node:events"
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { getting } from "../load/conversation.ts"
import { hold } from "../load/run.ts"
import { freePort, pinning, type Server } from "./launch.ts"
import type { Tls } from "./tls.ts"

/** The program; `NGINX` names another. */
const nginx = process.env["NGINX"] ?? "/usr/sbin/nginx"

/** Tells if nginx is installed here. */
export const nginxInstalled = existsSync(nginx)

type Upstream = Pick<Server, "port" | "pids" | "stop">

/** Starts a server on plain http behind an nginx that terminates TLS, both on the server's core; `start` is given the issuer. */
export const behindNginx = async <A extends Upstream>(folder: string, tls: Tls, start: (issuer: string) => Promise<A>) => {
  const port = await freePort()
  const server = await start(`https://127.0.0.1:${port}`)
  configured(folder, port, server.port, tls)
  // Started as root, its worker is somebody else, who has to get in.
  for (const each of [folder, dirname(folder)]) chmodSync(each, 0o755)
  const args = ["-p", folder, "-c", join(folder, "nginx.conf"), "-e", join(folder, "error.log"), "-g", "daemon off;"]
  const [command, all] = pinning ? ["/usr/bin/taskset", ["-c", "0", nginx, ...args]] : ([nginx, args] as const)
  const master = spawn(command, all, { stdio: "ignore" })
  const pid = master.pid ?? 0
  const place = { port, certificate: tls.certificate }
  const stop = async (): Promise<void> => {
    if (master.exitCode === null && master.signalCode === null) {
      const ended = once(master, "exit")
      master.kill("SIGQUIT")
      await ended
    }
    await server.stop()
  }
  await answered(place).catch(async (error: unknown) => {
    await stop()
    throw error
  })
  const workers = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").filter(Boolean).map(Number)
  return { ...server, ...place, pids: [...server.pids, pid, ...workers], stop }
}

const answered = async (place: Pick<Server, "port" | "certificate">): Promise<void> => {
  for (let tries = 0; ; tries++)
    try {
      return await hold(
        place,
        (function* () {
          yield getting("/.well-known/openid-configuration")
        })(),
      )
    } catch (error) {
      if (tries === 500) throw error
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
}

/** Puts the files of `examples/cluster` into a folder as they are, but for addresses, the certificate and the places of logs. */
const configured = (folder: string, port: number, upstream: number, tls: Tls): void => {
  const example = (name: string): string => readFileSync(new URL(`../../examples/cluster/${name}`, import.meta.url), "utf8")
  const into = (name: string, text: string): void => writeFileSync(join(folder, name), text)
  into("nginx.conf", example("nginx.conf").replace("worker_processes auto", "worker_processes 1"))
  into("servers.conf", `server 127.0.0.1:${upstream};\n`)
  const places = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((each) => `${each}_temp_path ${folder}/${each};\n`).join("")
  const listen = example("listen.conf")
    .replace("listen 443 ssl;", `listen 127.0.0.1:${port} ssl;`)
    .replace("listen [::]:443 ssl;", "")
    .replace("/etc/nginx/tls/fullchain.pem", tls.certificateFile)
    .replace("/etc/nginx/tls/privkey.pem", tls.keyFile)
    .replaceAll(/^(access|error)_log.*$/gm, "")
  into("listen.conf", listen + places)
}
