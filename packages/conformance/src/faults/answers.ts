import type { Fault } from "./fault.ts"

/** Changes the answers of one endpoint, by the end of its path. */
const at =
  (path: string, change: (answer: Response) => Response | Promise<Response>) =>
  (answer: Response, request: Request): Response | Promise<Response> =>
    new URL(request.url).pathname.endsWith(path) ? change(answer) : answer

/** An answer with other headers. */
const headed = (answer: Response, change: (headers: Headers) => void): Response => {
  const headers = new Headers(answer.headers)
  change(headers)
  return new Response(answer.body, { status: answer.status, headers })
}

/** Answers that are changed on their way out. */
export const answerFaults: ReadonlyArray<Fault> = [
  {
    id: "token.cached",
    title: "lets caches keep its tokens",
    paragraph: "RFC 6749 §5.1",
    near: ["code"],
    alteration: { answer: at("/token", (answer) => headed(answer, (headers) => headers.delete("cache-control"))) },
  },
]
