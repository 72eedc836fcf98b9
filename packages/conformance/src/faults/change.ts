import type { Fault } from "./fault.ts"

/** Members of a JSON answer. */
export type Members = Readonly<Record<string, unknown>>

/** A change of an answer on its way out. */
export type Change = (answer: Response, request: Request) => Response | Promise<Response>

/** Changes the answers of one endpoint, by the end of its path. */
export const at =
  (path: string, change: Change): Change =>
  (answer, request) =>
    new URL(request.url).pathname.endsWith(path) ? change(answer, request) : answer

/** Changes the header fields of answers. */
export const headed =
  (change: (headers: Headers) => void): Change =>
  (answer) => {
    const headers = new Headers(answer.headers)
    change(headers)
    return new Response(answer.body, { status: answer.status, headers })
  }

/** Leaves a header field out. */
export const without = (name: string): Change => headed((headers) => headers.delete(name))

/** Answers with another media type. */
export const typed = (mediaType: string): Change => headed((headers) => headers.set("content-type", mediaType))

/** Answers with another status in place of one. */
export const withStatus =
  (from: number, to: number): Change =>
  (answer) =>
    answer.status === from ? new Response(answer.body, { status: to, headers: answer.headers }) : answer

/** Changes the members of JSON answers; one that is undefined is left out. */
export const members =
  (change: (found: Members) => Members): Change =>
  async (answer) => {
    if (!(answer.headers.get("content-type") ?? "").includes("json")) return answer
    const found = (await answer.json()) as Members
    return new Response(JSON.stringify({ ...found, ...change(found) }), { status: answer.status, headers: answer.headers })
  }

/** Leaves a member out of an answer in JSON. */
export const lacking = (name: string): Change => members(() => ({ [name]: undefined }))

/** Changes the address that a redirect goes to. */
export const sent =
  (change: (to: URL) => URL): Change =>
  (answer) => {
    const location = answer.headers.get("location")
    if (location === null || !location.startsWith("https://client.")) return answer
    return headed((headers) => headers.set("location", change(new URL(location)).href))(answer, new Request(location))
  }

/** Changes the parameters in the query of the address that a redirect goes to. */
export const parameters = (change: (found: URLSearchParams) => void): Change =>
  sent((to) => {
    change(to.searchParams)
    return to
  })

/** Gives a parameter in that query another value, where it is there. */
export const replaced = (name: string, value: string): Change =>
  parameters((found) => {
    if (found.has(name)) found.set(name, value)
  })

/** States a fault that changes answers. */
export const fault = (id: string, title: string, paragraph: string, near: ReadonlyArray<string>, answer: Change): Fault => ({
  id,
  title,
  paragraph,
  near,
  alteration: { answer },
})
