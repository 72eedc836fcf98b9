import { request } from "node:https"

/** The TLS of a client: its certificate, if it has one, and the authority of the server's. */
export interface ClientTls {
  readonly ca: string
  readonly cert?: string
  readonly key?: string
}

/** A `fetch` over connections with a client's certificate, one for each request. */
export const tlsFetch =
  (tls: ClientTls) =>
  async (url: string | URL, { method = "GET", headers, body }: RequestInit = {}): Promise<Response> =>
    new Promise((resolve, reject) => {
      const sentHeaders = new Headers(headers)
      // As fetch has it.
      if (body instanceof URLSearchParams && !sentHeaders.has("content-type"))
        sentHeaders.set("content-type", "application/x-www-form-urlencoded;charset=UTF-8")
      const sent = request(url, { method, headers: Object.fromEntries(sentHeaders), agent: false, ...tls }, (answer) => {
        const chunks: Array<Buffer> = []
        answer.on("data", (chunk: Buffer) => chunks.push(chunk))
        answer.on("error", reject)
        answer.on("end", () => {
          const status = answer.statusCode ?? 500
          const pairs = Object.entries(answer.headers).flatMap(([name, value]) =>
            [value ?? []].flat().map((one): [string, string] => [name, one]),
          )
          resolve(new Response([204, 304].includes(status) ? null : Buffer.concat(chunks), { status, headers: pairs }))
        })
      })
      sent.on("error", reject)
      // Clients send forms.
      sent.end(body === undefined || body === null ? undefined : String(body as string | URLSearchParams))
    })
