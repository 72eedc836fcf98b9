import { spawn } from "node:child_process"
import type { KeyObject } from "node:crypto"
import { expect, vi } from "vitest"
import { pem } from "../cli/pem.ts"
import { type RunningServer, serveAt } from "./server.ts"
import { tlsFetch } from "./tlsFetch.ts"

/** A program that ends TLS with the tests' certificate, and what it passes on to. */
export interface ProxyOf {
  readonly program: string
  readonly args: ReadonlyArray<string>
  /** Its URL. */
  readonly url: string
  /** The port of the server behind it. */
  readonly port: number
  /** The form in which it passes certificates on. */
  readonly form: "nginx" | "haproxy"
  /** The key by which the client `loner` is known. The client `robot` is known by its name, `CN=robot`. */
  readonly loner: KeyObject
  /** Further clients, that may use client_credentials. */
  readonly others?: ReadonlyArray<object>
}

/** A certificate of a client, with its key. */
interface Shown {
  readonly cert: string
  readonly key: string
}

const machine = { grant_types: ["client_credentials"], response_types: [], scope: "api.read" }

/** Starts a proxy and a server that believes it about certificates of clients, and waits until the proxy answers. */
export const behindProxy = async ({ program, args, url, port, form, loner, others = [] }: ProxyOf) => {
  const proxy = spawn(program, args, { stdio: "ignore" })
  const ended = new Promise((resolve) => proxy.once("close", resolve).once("error", resolve))
  let server: RunningServer | undefined
  const end = async (): Promise<void> => {
    await server?.stop()
    proxy.kill("SIGTERM")
    await ended
    server?.remove()
  }
  const answers = async (): Promise<boolean> =>
    tlsFetch({ ca: pem.cert })(`${url}/health/live`).then(
      ({ ok }) => ok,
      () => false,
    )
  try {
    server = await serveAt(`http://127.0.0.1:${port}`, {
      resources: [{ identifier: "https://api.example", scopes: ["api.read"] }],
      trusted_proxies: ["127.0.0.1"],
      mutual_tls_url: url,
      mutual_tls: { proxies: { form, from: ["127.0.0.1"] }, proxy_check: true },
      clients: [
        {
          client_id: "robot",
          token_endpoint_auth_method: "tls_client_auth",
          tls_client_auth_subject_dn: "CN=robot",
          tls_client_certificate_bound_access_tokens: true,
        },
        {
          client_id: "loner",
          token_endpoint_auth_method: "self_signed_tls_client_auth",
          jwks: { keys: [loner.export({ format: "jwk" })] },
        },
        ...others,
      ].map((each) => ({ ...machine, ...each })),
    })
    await vi.waitFor(async () => expect(await answers()).toBe(true), { timeout: 20_000 })
  } catch (error) {
    await end()
    throw error
  }
  /** Asks for a token through the proxy, or through another place of it. */
  const ask = async (client_id: string, certificate?: Shown, headers: Readonly<Record<string, string>> = {}, at = url, more = {}) => {
    const tls = { ca: pem.cert, ...(certificate && { cert: certificate.cert, key: certificate.key }) }
    const body = new URLSearchParams({ grant_type: "client_credentials", scope: "api.read", client_id, ...more })
    const answer = await tlsFetch(tls)(`${at}/connect/token`, { method: "POST", headers, body })
    return { status: answer.status, ...((await answer.json()) as { readonly access_token?: string }) }
  }
  return { ask, end }
}

/** A running proxy, with a server behind it. */
export type BehindProxy = Awaited<ReturnType<typeof behindProxy>>
