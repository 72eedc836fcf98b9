import type { Conversation } from "../load/conversation.ts"
import type { Prepared } from "./scenario.ts"

const headers = [
  "user-agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36",
  "accept: text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8",
  "accept-language: en-GB,en;q=0.9,de-DE;q=0.8,de;q=0.7",
  "accept-encoding: gzip, deflate, br, zstd",
  "cache-control: max-age=0",
  "priority: u=0, i",
  'sec-ch-ua: "Chromium";v="142", "Not_A Brand";v="99"',
  "sec-ch-ua-mobile: ?0",
  'sec-ch-ua-platform: "Linux"',
  "sec-fetch-dest: document",
  "sec-fetch-mode: navigate",
  "sec-fetch-site: same-origin",
  "sec-fetch-user: ?1",
  "upgrade-insecure-requests: 1",
  "dnt: 1",
].join("\r\n")

/** 1.5 KB of other people's cookies, as a host shared with a website has them. */
const cookies = Array.from({ length: 12 }, (_, at) => `_site_${at}=${"GA1.1.".padEnd(116, `${at}f3a9`)}`).join("; ")

/** A request as a browser on such a host would send it. */
export const dressed = (request: string): string => {
  const line = request.indexOf("\r\n") + 2
  const own = `${request.slice(0, line)}${headers}\r\n`
  const rest = request.slice(line)
  return rest.includes("\r\ncookie: ")
    ? own + rest.replace("\r\ncookie: ", `\r\ncookie: ${cookies}; `)
    : `${own}cookie: ${cookies}\r\n${rest}`
}

/** The same operations with each request dressed so. */
export const inBrowser = (prepared: Prepared): Prepared => ({
  ...prepared,
  operations: prepared.operations.map((next) => () => {
    const operation = next()
    return operation === undefined ? undefined : inDress(operation)
  }),
})

function* inDress(operation: Conversation): Conversation {
  for (let said = operation.next(); said.done !== true;) said = operation.next(yield dressed(said.value))
}
