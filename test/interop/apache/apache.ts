import { type ChildProcess, spawn } from "node:child_process"
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const program = "/usr/sbin/apache2"
const module = "/usr/lib/apache2/modules/mod_auth_openidc.so"

/** These tests run where Debian's Apache and its module are, and must run where the environment says so. */
export const apacheThere = (existsSync(program) && existsSync(module)) || process.env["POSTERN_REQUIRE_APACHE"] === "1"

/** A virtual host, on a port of its own, that signs people in. */
export interface RelyingParty {
  readonly port: number
  readonly clientId: string
  readonly secret: string | undefined
  readonly responseType: string
  readonly responseMode: string | undefined
  /** More lines of its location. */
  readonly lines?: ReadonlyArray<string> | undefined
  /** The provider that it signs people in at; that of all the others when not given. */
  readonly provider?: string | undefined
}

/** A virtual host, on a port of its own, that takes access tokens and looks them up at the provider. */
export interface ResourceServer {
  readonly port: number
  readonly clientId: string
  readonly secret: string
}

/** A running Apache. */
export interface Apache {
  readonly log: () => string
  readonly stop: () => Promise<void>
}

const quoted = (text: string): string => `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`

const virtualHost = (port: number, lines: ReadonlyArray<string>): string =>
  [
    `Listen 127.0.0.1:${port}`,
    `<VirtualHost 127.0.0.1:${port}>`,
    `ServerName http://127.0.0.1:${port}`,
    ...lines,
    "Require valid-user",
    "</Location>",
    "</VirtualHost>",
    "",
  ].join("\n")

const relyingParty = (
  all: string,
  { port, clientId, secret, responseType, responseMode, lines = [], provider = all }: RelyingParty,
): string =>
  virtualHost(port, [
    `OIDCProviderMetadataURL ${provider}/.well-known/openid-configuration`,
    'OIDCScope "openid profile email"',
    "OIDCPKCEMethod S256",
    `OIDCRedirectURI http://127.0.0.1:${port}/secure/back`,
    `OIDCClientID ${clientId}`,
    ...(secret === undefined ? [] : [`OIDCClientSecret ${quoted(secret)}`]),
    `OIDCResponseType ${quoted(responseType)}`,
    ...(responseMode === undefined ? [] : [`OIDCResponseMode ${responseMode}`]),
    "<Location /secure>",
    "AuthType openid-connect",
    ...lines,
  ])

const resourceServer = (provider: string, { port, clientId, secret }: ResourceServer): string =>
  virtualHost(port, [
    `OIDCOAuthServerMetadataURL ${provider}/.well-known/oauth-authorization-server`,
    `OIDCOAuthClientID ${clientId}`,
    `OIDCOAuthClientSecret ${quoted(secret)}`,
    "<Location /secure>",
    "AuthType oauth20",
  ])

/** Everything the module tells an application of the person. */
const securePage = '<!doctype html><title>Secure</title><pre id="claims"><!--#printenv --></pre>'

const exited = (child: ChildProcess): Promise<void> =>
  child.exitCode !== null || child.signalCode !== null
    ? Promise.resolve()
    : new Promise((resolve) => void child.once("exit", () => resolve()))

/** Starts Apache with these hosts as a process of its own, and waits until all of them answer. */
export const startApache = async (provider: string, relyingParties: ReadonlyArray<RelyingParty>, api?: ResourceServer): Promise<Apache> => {
  const folder = mkdtempSync(join(tmpdir(), "postern-apache-"))
  // Started as root, Apache works as www-data, which has to get in.
  chmodSync(folder, 0o755)
  mkdirSync(join(folder, "site/secure"), { recursive: true })
  writeFileSync(join(folder, "site/secure/index.shtml"), securePage)
  writeFileSync(join(folder, "site/bye.html"), '<!doctype html><title>Bye</title><p id="bye">Bye</p>')
  const common = readFileSync(fileURLToPath(new URL("apache.conf", import.meta.url)), "utf8")
  const apis = api === undefined ? [] : [api]
  const hosts = [...relyingParties.map((one) => relyingParty(provider, one)), ...apis.map((one) => resourceServer(provider, one))]
  const config = [common, ...hosts].join("\n").replaceAll("${FOLDER}", folder)
  writeFileSync(join(folder, "apache.conf"), config)

  const child = spawn(program, ["-f", join(folder, "apache.conf"), "-D", "FOREGROUND"], { stdio: ["ignore", "pipe", "pipe"] })
  let output = ""
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => void (output += chunk.toString()))
  const errors = join(folder, "error.log")
  const log = (): string => output + (existsSync(errors) ? readFileSync(errors, "utf8") : "")
  const answers = async (): Promise<boolean> => {
    const all = await Promise.allSettled([...relyingParties, ...apis].map(({ port }) => fetch(`http://127.0.0.1:${port}/bye.html`)))
    return all.every((one) => one.status === "fulfilled" && one.value.ok)
  }
  const stop = async (): Promise<void> => {
    child.kill("SIGTERM")
    const late = setTimeout(() => child.kill("SIGKILL"), 10_000)
    await exited(child)
    clearTimeout(late)
    rmSync(folder, { recursive: true, force: true })
  }
  for (let tries = 0; !(await answers()); tries++) {
    if (child.exitCode !== null || tries > 400) {
      const said = log()
      await stop()
      throw new Error(`Apache did not start: ${said}`)
    }
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
  return { log, stop }
}
