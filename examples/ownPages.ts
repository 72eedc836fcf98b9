/**
 * Sign-in, consent and devices on pages of your own, on a plain Node server without any framework: two pages for the sign-in (a password, then a code), one for
 * consent, one for devices. The provider tells what each request needs, and judges every answer by its own rules.
 */
import { randomUUID } from "node:crypto"
import { type IncomingMessage, type RequestListener, type ServerResponse } from "node:http"
import { nodeInteractions, toNodeHandler } from "@postern/adapter-http/node"
import type { InteractionState, Provider, WaitingInteraction } from "@postern/core"

/** Pass this to `createProvider({ interactions })`. */
export const interactions = { signIn: "/sign-in", consent: "/allow", device: "/tv" }

export const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)

export const hidden = (name: string, value: string): string => `<input type="hidden" name="${name}" value="${escaped(value)}">`

export const send = (response: ServerResponse, status: number, body: string): void =>
  void response
    .writeHead(status, {
      "content-type": "text/html; charset=utf-8",
      "cache-control": "no-store",
      // No other page may show these in a frame (RFC 9700 §4.16), and none is told their address, which has the handle.
      "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
      "referrer-policy": "no-referrer",
    })
    .end(`<!doctype html><html lang="en"><meta charset="utf-8"><title>Example</title><main>${body}</main></html>`)

/** Reads a form, of which these pages need no more than 64 kB. */
export const formOf = async (request: IncomingMessage): Promise<URLSearchParams> => {
  let text = ""
  for await (const chunk of request.setEncoding("utf8"))
    if ((text += String(chunk)).length > 65_536) throw new Error("The form is too long.")
  return new URLSearchParams(text)
}

const sendTo = (response: ServerResponse, location: string): void =>
  void response.writeHead(303, { location, "cache-control": "no-store" }).end()

/** The page for each need. `/approve` leads to the one of `ownApprovals.ts`. */
const places = { sign_in: interactions.signIn, consent: interactions.consent, device: interactions.device, approval: "/approve" } as const

/** The request, if it needs this page. Otherwise the browser is told why it is refused, or sent on: a person may have signed in in another tab, or their session may have ended. */
const waitingAt = (response: ServerResponse, page: string, asked: InteractionState): WaitingInteraction | undefined => {
  if (asked.need === "refused") send(response, asked.status, escaped(asked.description))
  else if (asked.need === "nothing") sendTo(response, asked.location ?? "/")
  else if (places[asked.need] === page) return asked
  else sendTo(response, `${places[asked.need]}?interaction=${encodeURIComponent(asked.interaction)}`)
  return undefined
}

/** Sign-ins that wait for their second step. A real application ends them after some minutes, and counts the tries of both steps: those of your own factors are yours to bound. */
const halfway = new Map<string, string>()

const signInPage = ({ csrf, client, why, signIn }: WaitingInteraction, problem = ""): string =>
  `<h1>Sign in${client === undefined ? "" : ` to ${escaped(client.name)}`}</h1><p>${escaped(why?.rule ?? "")}</p><p role="alert">${escaped(problem)}</p>
   <form method="post" action="">${hidden("csrf", csrf)}<label>Name <input name="username" value="${escaped(signIn?.loginHint ?? "")}"></label>
   <label>Password <input name="password" type="password"></label><button>Next</button></form>`

const codePage = ({ csrf }: WaitingInteraction, ticket: string): string =>
  `<h1>Your code</h1><form method="post" action="">${hidden("csrf", csrf)}${hidden("ticket", ticket)}
   <label>Code <input name="code" inputmode="numeric"></label><button>Sign in</button></form>`

const consentPage = ({ csrf, client, person, consent, device }: WaitingInteraction): string =>
  `<h1>${escaped(client?.name ?? "")} asks ${escaped(person?.name ?? "")}</h1><p>${escaped(device?.userCode ?? "")}</p>
   <form method="post" action="">${hidden("csrf", csrf)}${(consent?.scopes ?? [])
     .map(
       ({ name, title = name, required }) =>
         `<label><input type="checkbox" name="scope" value="${escaped(name)}" checked${required ? " required" : ""}> ${escaped(title)}</label>`,
     )
     .join("")}
   <button name="decision" value="allow">Allow</button><button name="decision" value="deny">Do not</button></form>`

/** Your own people and factors. */
export interface Users {
  /** The subject of a name and a password. */
  readonly check: (username: string, password: string) => Promise<string | undefined>
  /** Judges the second factor. */
  readonly code: (subject: string, code: string) => Promise<boolean>
}

/** Serves the provider, and your own pages beside it. */
export const ownServer = (provider: Provider, users: Users): RequestListener => {
  const { interaction, resume } = nodeInteractions(provider)
  const handler = toNodeHandler(provider)

  const signIn = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const asked = waitingAt(response, interactions.signIn, await interaction(request))
    if (asked === undefined) return
    if (request.method !== "POST") return send(response, 200, signInPage(asked))
    const form = await formOf(request)
    const subject = await users.check(form.get("username") ?? "", form.get("password") ?? "")
    const waits = halfway.get(form.get("ticket") ?? "")
    halfway.delete(form.get("ticket") ?? "")
    if (waits !== undefined && (await users.code(waits, form.get("code") ?? "")))
      return resume(request, response, {
        csrf: form.get("csrf") ?? "",
        signIn: { subject: waits, amr: ["pwd", "otp"], acr: "urn:example:two" },
      })
    if (subject === undefined) return send(response, 400, signInPage(asked, "That did not work."))
    const ticket = randomUUID()
    halfway.set(ticket, subject)
    send(response, 200, codePage(asked, ticket))
  }

  const consent = async (request: IncomingMessage, response: ServerResponse, page: string): Promise<void> => {
    if (request.method === "POST") {
      const form = await formOf(request)
      const csrf = form.get("csrf") ?? ""
      return resume(
        request,
        response,
        form.get("decision") === "allow" ? { csrf, consent: { scopes: form.getAll("scope") } } : { csrf, deny: true },
      )
    }
    const asked = waitingAt(response, page, await interaction(request))
    if (asked !== undefined) send(response, 200, consentPage(asked))
  }

  const device = async (request: IncomingMessage, response: ServerResponse, query: URLSearchParams): Promise<void> => {
    if (query.has("interaction")) return consent(request, response, interactions.device)
    if (query.has("done")) return send(response, 200, `<p>The device is ${escaped(query.get("done") ?? "")}.</p>`)
    // The code goes to the provider, which counts the tries and comes back here.
    send(
      response,
      200,
      `<p role="alert">${escaped(query.get("problem") ?? "")}</p><form action="/device"><input name="user_code"><button>Next</button></form>`,
    )
  }

  return (request, response) => {
    // Split by hand: `new URL` throws for targets such as `//`, and an error here would end the process.
    const [pathname, query] = (request.url ?? "/").split("?", 2)
    const searchParams = new URLSearchParams(query)
    const failed = (): void => send(response, 500, "Something went wrong.")
    if (pathname === interactions.signIn) return void signIn(request, response).catch(failed)
    if (pathname === interactions.consent) return void consent(request, response, interactions.consent).catch(failed)
    if (pathname === interactions.device) return void device(request, response, searchParams).catch(failed)
    handler(request, response)
  }
}
