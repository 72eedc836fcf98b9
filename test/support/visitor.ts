import type { Answer, Message } from "@postern/core"

type Send = (message: Partial<Message> & { readonly path: string }) => Promise<Answer>

/** Parts of an answer, taken apart so that tests can state them. */
export interface Said {
  readonly status: number
  readonly header: (name: string) => string | undefined
  readonly json: Record<string, unknown> | undefined
  /** The page model, when the answer is a page. */
  readonly page: Record<string, unknown> | undefined
  /** The Location without query and fragment. */
  readonly to: string | undefined
  /** Parameters of the Location's query or fragment, or the fields of a form_post page. */
  readonly params: Record<string, string>
  readonly body: string
}

/** Takes an answer apart. */
export const said = ({ status, headers, body }: Answer): Said => {
  const header = (name: string) => headers.find(([each]) => each === name)?.[1]
  const type = header("content-type") ?? ""
  const location = header("location")
  const page = type.startsWith("text/html") ? (JSON.parse(body) as Record<string, unknown>) : undefined
  const [, to, rest = ""] = /^([^?#]*)[?#]?(.*)$/s.exec(location ?? "") ?? []
  const fields = page?.["_tag"] === "FormPost" ? (page["fields"] as Array<[string, string]>) : [...new URLSearchParams(rest)]
  return {
    status,
    header,
    json: type === "application/json" && body !== "" ? (JSON.parse(body) as Record<string, unknown>) : undefined,
    page,
    to: location === undefined ? undefined : to,
    params: Object.fromEntries(fields),
    body,
  }
}

const form = (fields: Readonly<Record<string, string>> | ReadonlyArray<readonly [string, string]>): string =>
  new URLSearchParams((Array.isArray(fields) ? fields : Object.entries(fields)) as Array<[string, string]>).toString()

/** A browser: it keeps cookies, and says what it is told to. */
export class Visitor {
  readonly cookies = new Map<string, string>()
  readonly #send: Send
  readonly #headers: Record<string, string>

  constructor(send: Send, headers: Record<string, string>) {
    this.#send = send
    this.#headers = headers
  }

  async #go(message: Partial<Message> & { readonly path: string }): Promise<Said> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join("; ")
    const answer = await this.#send({ ...message, headers: { ...this.#headers, ...(cookie === "" ? {} : { cookie }), ...message.headers } })
    return this.take(answer)
  }

  /** The request that it makes of a page that is none of the provider's. */
  message(target: string, method = "GET", headers: Record<string, string> = {}): Message {
    const [path = "", query = ""] = target.split("?", 2)
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join("; ")
    return { method, path, query, headers: { ...this.#headers, cookie, ...headers }, body: "", address: "192.0.2.1" }
  }

  /** Takes an answer that somebody else hands on from the provider. */
  take(answer: Answer): Said {
    for (const [name, value] of answer.headers) {
      if (name !== "set-cookie") continue
      const [, key = "", set = ""] = /^([^=]*)=([^;]*)/.exec(value) ?? []
      if (value.includes("Max-Age=0")) this.cookies.delete(key)
      else this.cookies.set(key, set)
    }
    return said(answer)
  }

  /** GETs a path, with a query that the path may carry. */
  get(target: string, query: Readonly<Record<string, string>> | ReadonlyArray<readonly [string, string]> = {}): Promise<Said> {
    const [path = "", own = ""] = target.split("?", 2)
    return this.#go({ method: "GET", path, query: own === "" ? form(query) : own })
  }

  /** POSTs a form. */
  post(
    path: string,
    fields: Readonly<Record<string, string>> | ReadonlyArray<readonly [string, string]>,
    headers: Record<string, string> = {},
  ): Promise<Said> {
    return this.#go({
      method: "POST",
      path,
      body: form(fields),
      headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
    })
  }

  /** POSTs the form of a page as its person would: its hidden fields, and what they filled in. */
  submit(page: Record<string, unknown> | undefined, fields: ReadonlyArray<readonly [string, string]> = [], name = "form"): Promise<Said> {
    const shown = page?.[name] as { action: string; hidden: Array<[string, string]> } | undefined
    if (shown === undefined) throw new Error(`the page has no form ${name}: ${JSON.stringify(page)}`)
    return this.post(shown.action, [...shown.hidden, ...fields])
  }
}
