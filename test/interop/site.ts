import { type RequestListener, createServer } from "node:http"

/** A web site of a client, on a free loopback port. */
export interface Site {
  readonly url: string
  /** Says what answers; until then everything is answered 503. */
  readonly answerWith: (listener: RequestListener) => void
  readonly close: () => Promise<void>
}

/** Opens a site before there is an application for it: a client's redirect URI is known only once its port is. */
export const openSite = async (): Promise<Site> => {
  let listener: RequestListener = (_, response) => response.writeHead(503).end()
  const server = createServer((request, response) => listener(request, response))
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject)
    server.listen(0, "127.0.0.1", resolve)
  })
  const address = server.address()
  if (typeof address !== "object" || address === null) throw new Error("the site listens nowhere")
  return {
    url: `http://127.0.0.1:${address.port}`,
    answerWith: (next) => void (listener = next),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
