import type { Answer } from "@postern/core/wire"
import { parse } from "node-html-parser"
import type { Forge } from "./forge.ts"

/** An authorization response to a client, in the query or the fragment of a redirect or in a form that is posted. */
export interface Returned {
  readonly to: string
  readonly place: "query" | "fragment" | "form"
  readonly parameters: URLSearchParams
}

/** Returns a header of a response. */
export const headerOf = ({ headers }: Answer, wanted: string): string | undefined =>
  headers.find(([name]) => name.toLowerCase() === wanted)?.[1]

/** Parses an authorization response; undefined for any other response. */
export const returnedBy = (answer: Answer): Returned | undefined => {
  const location = headerOf(answer, "location")
  if (location !== undefined && URL.canParse(location)) {
    const url = new URL(location)
    const place = url.hash === "" ? "query" : "fragment"
    const parameters = new URLSearchParams((place === "query" ? url.search : url.hash).slice(1))
    return { to: location, place, parameters }
  }
  const form = answer.body.includes('id="form-post"') ? parse(answer.body).querySelector("#form-post") : null
  const to = form?.getAttribute("action")
  if (to === undefined || form === null) return undefined
  const fields = form.querySelectorAll("input[type=hidden]")
  const pairs = fields.map((each) => [each.getAttribute("name") ?? "", each.getAttribute("value") ?? ""])
  return { to, place: "form", parameters: new URLSearchParams(pairs) }
}

/** The parameters of a response, taken from its JWT if it has one (JARM §2.1). Those of an encrypted response are unknown. */
export const contentOf = ({ parameters }: Returned, { read }: Pick<Forge, "read">): URLSearchParams => {
  const claims = read(parameters.get("response") ?? "")?.claims
  const pairs = Object.entries(claims ?? {}).flatMap(([name, value]) => (typeof value === "string" ? [[name, value]] : []))
  return claims === undefined ? parameters : new URLSearchParams(pairs)
}

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")

/** Writes an authorization response into the response that it was read from, in the same response mode or in another one. */
export const returning = (answer: Answer, { to, parameters }: Returned, place: Returned["place"]): Answer => {
  if (place !== "form") {
    const url = new URL(to)
    url[place === "query" ? "search" : "hash"] = parameters.toString()
    url[place === "query" ? "hash" : "search"] = ""
    const others = answer.headers.filter(([name]) => !["location", "content-length"].includes(name.toLowerCase()))
    return { status: answer.status === 200 ? 303 : answer.status, headers: [...others, ["location", url.href]], body: "" }
  }
  const page = parse(answer.body)
  const form = page.querySelector("#form-post")
  for (const field of form?.querySelectorAll("input[type=hidden]") ?? []) field.remove()
  const fields = [...parameters].map(([name, value]) => `<input type="hidden" name="${escaped(name)}" value="${escaped(value)}">`)
  form?.insertAdjacentHTML("afterbegin", fields.join(""))
  const headers = answer.headers.filter(([name]) => name.toLowerCase() !== "content-length")
  return { ...answer, headers, body: `<!doctype html>${page.toString().replace(/^<!doctype html>/i, "")}` }
}
