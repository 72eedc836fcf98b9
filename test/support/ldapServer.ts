import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { freePort } from "./ports.ts"

const program = "/usr/sbin/slapd"

/** True where tests that need OpenLDAP run: where slapd is installed, and where the environment says so. */
export const slapdThere = existsSync(program) || process.env["POSTERN_REQUIRE_SLAPD"] === "1"

/** A directory of its own, on free ports of 127.0.0.1. */
export interface LdapServer {
  readonly ldap: string
  readonly ldaps: string
  readonly signal: (signal: NodeJS.Signals) => void
  /** Reports whether it stands still: a signal takes its time to stop every thread. */
  readonly isStopped: () => boolean
  readonly end: () => Promise<void>
}

/** Starts OpenLDAP with entries (RFC 2849); it takes anonymous questions from nobody and listens by TLS too. */
export const startSlapd = async (entries: string, tls: { readonly cert: string; readonly key: string }): Promise<LdapServer> => {
  const home = mkdtempSync(join(tmpdir(), "postern-ldap-"))
  mkdirSync(join(home, "data"))
  const place = (name: string, content: string): string => {
    writeFileSync(join(home, name), content, { mode: 0o600 })
    return join(home, name)
  }
  const config = place(
    "slapd.conf",
    `include /etc/ldap/schema/core.schema
include /etc/ldap/schema/cosine.schema
include /etc/ldap/schema/inetorgperson.schema
modulepath /usr/lib/ldap
moduleload back_mdb
pidfile ${home}/slapd.pid
TLSCertificateFile ${place("cert.pem", tls.cert)}
TLSCertificateKeyFile ${place("key.pem", tls.key)}
require authc
database mdb
suffix dc=example,dc=com
directory ${home}/data
rootdn cn=root,dc=example,dc=com
access to attrs=userPassword by anonymous auth by * none
access to * by dn.exact=cn=postern,dc=example,dc=com read by * none
`,
  )
  const slapadd = spawnSync("/usr/sbin/slapadd", ["-f", config, "-l", place("entries.ldif", entries)], { encoding: "utf8" })
  if (slapadd.status !== 0) throw new Error(`slapadd did not succeed: ${slapadd.stderr}`)
  const [plain, secure] = [await freePort(), await freePort()]
  const [ldap, ldaps] = [`ldap://localhost:${plain}`, `ldaps://localhost:${secure}`]
  // `-d 0` keeps it in the foreground.
  const server = spawn(program, ["-f", config, "-h", `ldap://127.0.0.1:${plain} ldaps://127.0.0.1:${secure}`, "-d", "0"], {
    stdio: ["ignore", "ignore", "inherit"],
  })
  const ended = (): void => void server.kill("SIGKILL")
  process.once("exit", ended)
  while (server.exitCode === null && !(await answers(secure))) await new Promise(setImmediate)
  return {
    ldap,
    ldaps,
    signal: (signal) => void server.kill(signal),
    isStopped: () =>
      readdirSync(`/proc/${server.pid}/task`).every((thread) =>
        readFileSync(`/proc/${server.pid}/task/${thread}/status`, "utf8").includes("State:\tT"),
      ),
    end: async () => {
      process.off("exit", ended)
      const gone = once(server, "exit")
      server.kill("SIGKILL")
      await gone
      rmSync(home, { recursive: true, force: true })
    },
  }
}

const answers = (port: number): Promise<boolean> =>
  new Promise((tell) => {
    const socket = connect(port, "127.0.0.1")
    socket.once("connect", () => tell(true)).once("error", () => tell(false))
    socket.once("connect", () => socket.destroy())
  })
