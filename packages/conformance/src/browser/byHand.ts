import { type IncomingMessage, type Server, type ServerResponse, createServer } from "node:http"
import type { Pairs } from "../exchange/exchange.ts"
import { Untried } from "../target/target.ts"
import type { Ending, Hand } from "../target/visiting.ts"
import { isAnswerTo, isOpened } from "./answering.ts"

/** Options of a run by hand. */
export interface ByHand {
  /** Redirect URIs of the clients. The run listens at those that use plain HTTP on loopback. */
  readonly callbacks: ReadonlyArray<string>
  /** Shows the person a line. */
  readonly say: (line: string) => void
  /** Reads the next line that the person enters; undefined at the end of the input. `signal` ends the wait. */
  readonly line: (signal: AbortSignal) => Promise<string | undefined>
  /** Milliseconds to wait for the person each time. */
  readonly wait: number
}

/** The maximum bytes of a browser's request to the callback. */
const mostBytes = 64 * 1024

const page = (text: string, script = ""): string =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><title>postern conform</title><p>${text}</p>${script}</html>`

const arrivedText = "The answer has arrived. Go back to the terminal; this page can be closed."
const otherText =
  "This does not answer the address that was opened last: its state is another, or another page sent it. If it is the answer, paste its address in the terminal."

/** Browsers never send a fragment, so the callback's page posts its own address. */
const telling = page(
  "One moment.",
  `<script>fetch("", { method: "POST", headers: { "content-type": "text/plain" }, body: location.href }).then((answer) => (document.querySelector("p").textContent = answer.ok ? "${arrivedText}" : "${otherText}"))</script>`,
)

const isLoopback = (uri: string): boolean =>
  URL.canParse(uri) && new URL(uri).protocol === "http:" && ["127.0.0.1", "localhost", "[::1]"].includes(new URL(uri).hostname)

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  let text = ""
  for await (const chunk of request.setEncoding("utf8")) {
    text += String(chunk)
    if (text.length > mostBytes) throw new Error("too much")
  }
  return text
}

/** Lets a person pass a provider's pages in their own browser. Rejects if it cannot listen at a callback. */
export const byHand = async ({ callbacks, say, line, wait }: ByHand): Promise<Hand> => {
  let waiting: { readonly opened: string; readonly come: (ending: Ending) => void } | undefined
  let asked = 0
  let isGone = false
  /** Accepts a response at a callback if it answers the opened authorization request. */
  const isTaken = (url: string, form?: Pairs): boolean => {
    const { searchParams, hash } = new URL(url)
    if (waiting === undefined || !isAnswerTo(waiting.opened, form ?? [...searchParams, ...new URLSearchParams(hash.slice(1))])) return false
    waiting.come({ leaving: { url, ...(form === undefined ? {} : { form: { method: "POST", url, pairs: form } }) } })
    return true
  }
  const receive = async (request: IncomingMessage, response: ServerResponse, origin: string): Promise<void> => {
    const url = new URL(request.url ?? "/", origin)
    const known = callbacks.some((each) => new URL(each).pathname === url.pathname && new URL(each).host === url.host)
    const html = { "content-type": "text/html; charset=utf-8", "referrer-policy": "no-referrer" }
    const show = (taken: boolean): void => void response.writeHead(taken ? 200 : 400, html).end(page(taken ? arrivedText : otherText))
    if (!known) return void response.writeHead(404, html).end(page("There is nothing here."))
    if (request.method === "POST") {
      const [type, body] = [request.headers["content-type"] ?? "", await bodyOf(request)]
      const isForm = type.startsWith("application/x-www-form-urlencoded")
      if (!isOpened(request.headers, isForm, origin)) return show(false)
      return show(isForm ? isTaken(url.href, [...new URLSearchParams(body)]) : new URL(body).host === url.host && isTaken(body))
    }
    const names = ["code", "error", "state", "response", "iss"]
    const isAnswer = names.some((name) => url.searchParams.has(name))
    if (isAnswer) return show(isOpened(request.headers, false, origin) && isTaken(url.href))
    response.writeHead(200, html).end(telling)
  }
  const servers = await listening(callbacks, (request, response, origin) => {
    receive(request, response, origin).catch(() => response.writeHead(400).end())
  })
  for (const origin of servers.keys()) say(`listening at ${origin} for the browser`)
  const open: Hand["open"] = async ({ url, refuse, note, isClient }) => {
    if (isGone) throw new Untried("nobody is there")
    const over = new AbortController()
    let timer: NodeJS.Timeout | undefined
    try {
      return await new Promise<Ending>((resolve, reject) => {
        waiting = { opened: url, come: resolve }
        const leave = (why: string): void => {
          isGone = true
          reject(new Untried(why))
        }
        timer = setTimeout(() => leave(`nobody came back within ${Math.round(wait / 1000)} s`), wait)
        asked += 1
        say(
          `${asked}. Open this address in your browser, and ${refuse ? "sign in, but refuse the consent" : "sign in and consent where it asks"}:`,
        )
        say(`   ${url}`)
        if (note !== "") say(`   ${note}`)
        say(
          `   Then paste the address at which the browser ends, or press Enter where it stays at the provider (${Math.round(wait / 1000)} s).`,
        )
        void entered(line, over.signal, isClient, say).then((ending) => {
          if (ending !== undefined) resolve(ending)
          else if (servers.size === 0 && !over.signal.aborted) leave("standard input has ended, and no redirect URI is on loopback")
        })
      })
    } finally {
      waiting = undefined
      clearTimeout(timer)
      over.abort()
    }
  }
  return {
    wait,
    hears: (uri) => isLoopback(uri) && servers.has(new URL(uri).origin),
    open,
    close: async () => {
      for (const server of servers.values()) {
        server.closeAllConnections()
        await new Promise((resolve) => server.close(resolve))
      }
    },
  }
}

/**
 * Reads the result that a person enters: a client's address, or an empty line if the browser stayed at the provider. Undefined at the end
 * of the input.
 */
const entered = async (
  line: ByHand["line"],
  signal: AbortSignal,
  isClient: (url: string) => boolean,
  say: (line: string) => void,
): Promise<Ending | undefined> => {
  for (;;) {
    const text = (await line(signal))?.trim()
    if (text === undefined || signal.aborted) return undefined
    if (text === "") return { leaving: undefined }
    if (URL.canParse(text) && isClient(text)) return { leaving: { url: text } }
    say("   That is not a client's address: it begins with one of the registered redirect URIs.")
  }
}

/** Starts servers for the redirect URIs on loopback, and returns them by origin. */
const listening = async (
  uris: ReadonlyArray<string>,
  receive: (request: IncomingMessage, response: ServerResponse, origin: string) => void,
): Promise<ReadonlyMap<string, Server>> => {
  const servers = new Map<string, Server>()
  for (const origin of new Set(uris.filter(isLoopback).map((uri) => new URL(uri).origin))) {
    const { hostname, port } = new URL(origin)
    const server = createServer((request, response) => receive(request, response, origin))
    servers.set(origin, server)
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject)
      server.listen(Number(port === "" ? 80 : port), hostname.replaceAll(/[[\]]/g, ""), resolve)
    }).catch((error: unknown) => {
      for (const each of servers.values()) each.close()
      throw error
    })
  }
  return servers
}
