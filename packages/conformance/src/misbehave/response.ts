import type { Answer } from "@postern/core/wire"
import { parse } from "node-html-parser"
import type { Forge } from "./forge.ts"

/** An authorization response on its way to a client: in the query or the fragment of an address, or in a form that is sent there. */
export interface Returned {
  readonly to: string
  readonly place: "query" | "fragment" | "form"
  readonly parameters: URLSearchParams
}

/** A header of an answer. */
export const headerOf = ({ headers }: Answer, wanted: string): string | undefined =>
  headers.find(([name]) => name.toLowerCase() === wanted)?.[1]

/** Reads an authorization response; undefined where an answer is none. */
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

/** The parameters of a response, out of the JWT where it came as one (JARM §2.1); of an encrypted one nothing is known. */
export const contentOf = ({ parameters }: Returned, { read }: Pick<Forge, "read">): URLSearchParams => {
  const claims = read(parameters.get("response") ?? "")?.claims
  const pairs = Object.entries(claims ?? {}).flatMap(([name, value]) => (typeof value === "string" ? [[name, value]] : []))
  return claims === undefined ? parameters : new URLSearchParams(pairs)
}

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")

/** Writes an authorization response into the answer that it was read from, in its place or in another one. */
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
