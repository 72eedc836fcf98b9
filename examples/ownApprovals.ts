/**
 * A page of your own on which people answer what clients ask of them by CIBA (docs/ciba.md), beside the sign-in of `ownPages.ts`: who asks, the message to compare, what for; allow, deny, or say that it was
 * not them. A client that asks for `urn:example:two` has the person sign in with both factors first: the provider sees to that.
 */
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http"
import { nodeInteractions } from "@postern/adapter-http/node"
import type { InteractionAnswer, Provider, WaitingInteraction } from "@postern/core"
import { type Users, escaped, formOf, hidden, interactions as others, ownServer, send } from "./ownPages.ts"

/** Pass this to `createProvider({ interactions })`, and `ciba()` among the features. */
export const interactions = { ...others, approval: "/requests" }

const time = (seconds: number): string => new Date(seconds * 1000).toISOString().slice(11, 16)

const approvalPage = ({ csrf, client, person, approval, consent }: WaitingInteraction): string =>
  `<h1>${escaped(client?.name ?? "")} asks you</h1><p>You are ${escaped(person?.name ?? "")}; it asked at ${time(approval?.askedAt ?? 0)} (UTC).</p>
   <p>Go on only if it shows you the same: <strong>${escaped(approval?.bindingMessage ?? "no message")}</strong></p>
   <ul>${(consent?.scopes ?? []).map(({ name, title = name }) => `<li>${escaped(title)}</li>`).join("")}${(consent?.details ?? [])
     .map(({ type, detail }) => `<li>${escaped(type)} <code>${escaped(JSON.stringify(detail))}</code></li>`)
     .join("")}</ul>
   <form method="post" action="">${hidden("csrf", csrf)}<button name="decision" value="allow">Allow</button>
   <button name="decision" value="deny">Do not</button><button name="decision" value="stranger">I did not expect this</button></form>
   ${approval?.others === 0 ? "" : `<p>${approval?.others} more wait.</p>`}`

/** The end of a request. `/approve` leads to the next one that waits. */
const donePage = (query: URLSearchParams): string =>
  `<p id="done">${escaped(query.get("done") ?? "")}</p>${query.has("others") ? '<p><a href="/approve">The next request</a></p>' : ""}`

/** A request is allowed all that it asks for, or nothing (CIBA Core §8). One that nobody expected ends with an error, which is `access_denied` for a client that asks. */
const answerOf = (form: URLSearchParams, { csrf, consent }: WaitingInteraction): InteractionAnswer => {
  const given = { csrf: form.get("csrf") ?? csrf }
  if (form.get("decision") === "allow")
    return { ...given, consent: { scopes: [...(consent?.scopes ?? []), ...(consent?.details ?? [])].map(({ name }) => name) } }
  if (form.get("decision") === "deny") return { ...given, deny: true }
  return { ...given, error: { error: "interaction_required", description: "The person did not expect the request." } }
}

/** Serves the provider, the pages of `ownPages.ts`, and the page for requests. */
export const ownApprovalServer = (provider: Provider, users: Users): RequestListener => {
  const { interaction, resume } = nodeInteractions(provider)
  const rest = ownServer(provider, users)

  const approve = async (request: IncomingMessage, response: ServerResponse, query: URLSearchParams): Promise<void> => {
    if (query.has("done")) return send(response, 200, donePage(query))
    const asked = await interaction(request)
    if (asked.need === "refused") return send(response, asked.status, escaped(asked.description))
    // The person's session ended, or is below what the client asks for: your sign-in page has the same handle.
    if (asked.need === "sign_in")
      return void response.writeHead(303, { location: `${interactions.signIn}?${query.toString()}`, "cache-control": "no-store" }).end()
    if (request.method !== "POST") return send(response, 200, approvalPage(asked))
    return resume(request, response, answerOf(await formOf(request), asked))
  }

  return (request, response) => {
    // Split by hand: `new URL` throws for targets such as `//`, and an error here would end the process.
    const [pathname, query] = (request.url ?? "/").split("?", 2)
    const searchParams = new URLSearchParams(query)
    if (pathname !== interactions.approval) return rest(request, response)
    void approve(request, response, searchParams).catch(() => send(response, 500, "Something went wrong."))
  }
}
