import type { Fault } from "./fault.ts"

/** The members of a JSON response. */
export type Members = Readonly<Record<string, unknown>>

/** A change of a response before it is sent. */
export type Change = (answer: Response, request: Request) => Response | Promise<Response>

/** Changes the responses of one endpoint, chosen by the end of its path. */
export const at =
  (path: string, change: Change): Change =>
  (answer, request) =>
    new URL(request.url).pathname.endsWith(path) ? change(answer, request) : answer

/** Changes the header fields of responses. */
export const headed =
  (change: (headers: Headers) => void): Change =>
  (answer) => {
    const headers = new Headers(answer.headers)
    change(headers)
    return new Response(answer.body, { status: answer.status, headers })
  }

/** Removes a header field. */
export const without = (name: string): Change => headed((headers) => headers.delete(name))

/** Replaces the media type of responses. */
export const typed = (mediaType: string): Change => headed((headers) => headers.set("content-type", mediaType))

/** Replaces one status with another. */
export const withStatus =
  (from: number, to: number): Change =>
  (answer) =>
    answer.status === from ? new Response(answer.body, { status: to, headers: answer.headers }) : answer

/** Changes the members of JSON responses. Undefined removes a member. */
export const members =
  (change: (found: Members) => Members): Change =>
  async (answer) => {
    if (!(answer.headers.get("content-type") ?? "").includes("json")) return answer
    const found = (await answer.json()) as Members
    return new Response(JSON.stringify({ ...found, ...change(found) }), { status: answer.status, headers: answer.headers })
  }

/** Adds members to JSON responses that have the given one. */
export const beside = (name: string, added: Members): Change => members((found) => (found[name] === undefined ? {} : added))

/** Removes a member from JSON responses. */
export const lacking = (name: string): Change => members(() => ({ [name]: undefined }))

/** Changes the target of a redirect. */
export const sent =
  (change: (to: URL) => URL): Change =>
  (answer) => {
    const location = answer.headers.get("location")
    if (location === null || !location.startsWith("https://client.")) return answer
    return headed((headers) => headers.set("location", change(new URL(location)).href))(answer, new Request(location))
  }

/** Changes the query parameters of a redirect's target. */
export const parameters = (change: (found: URLSearchParams) => void): Change =>
  sent((to) => {
    change(to.searchParams)
    return to
  })

/** Replaces the value of a query parameter of a redirect's target, if it is present. */
export const replaced = (name: string, value: string): Change =>
  parameters((found) => {
    if (found.has(name)) found.set(name, value)
  })

/** Defines a fault that changes responses. */
export const fault = (id: string, title: string, paragraph: string, near: ReadonlyArray<string>, answer: Change): Fault => ({
  id,
  title,
  paragraph,
  near,
  alteration: { answer },
})
