import { getting, posting, WrongAnswer } from "./conversation.ts"
import { type Answer, cookiesOf, header } from "./wire.ts"

/** Cookies of a browser, by name. */
export type Jar = Map<string, string>

/** Person who signs in. */
export interface Credentials {
  readonly username: string
  readonly password: string
}

const longestWay = 12

/** Reads the code from the address that a browser is sent to. */
export type CodeOf = (location: URL) => string | null | undefined

/**
 * Goes where a browser would from a path of the provider, follows redirects and fills in the forms, until it is sent to `redirectUri`;
 * answers with the code in that address.
 */
export function* browse(
  jar: Jar,
  from: string,
  redirectUri: string,
  { username, password }: Credentials,
  codeOf: CodeOf = ({ searchParams }) => searchParams.get("code"),
): Generator<string, string, Answer> {
  let [target, body]: [string, string | undefined] = [from, undefined]
  for (let steps = 0; steps < longestWay; steps++) {
    const cookies = jar.size === 0 ? "" : `cookie: ${[...jar].map(([name, value]) => `${name}=${value}`).join("; ")}\r\n`
    const answer: Answer = yield body === undefined ? getting(target, cookies) : posting(target, body, cookies)
    for (const [name, value] of cookiesOf(answer)) {
      if (value === "") jar.delete(name)
      else jar.set(name, value)
    }
    if (answer.status === 302 || answer.status === 303) {
      const location = header(answer, "location") ?? ""
      if (location.startsWith(redirectUri)) {
        const code = codeOf(new URL(location))
        if (typeof code !== "string") throw new WrongAnswer("no code", answer)
        return code
      }
      target = location.startsWith("http") ? location.slice(location.indexOf("/", 8)) : location
      body = undefined
    } else if (answer.status === 200) {
      ;[target, body] = filledIn(answer, { username, password })
    } else throw new WrongAnswer("neither a page nor a redirect", answer)
  }
  throw new Error(`not back at the client after ${longestWay} requests`)
}

/** An attribute's text: authorization details are JSON, whose quotes are escaped. */
const unescaped = (text: string): string => text.replaceAll("&#34;", '"').replaceAll("&#39;", "'").replaceAll("&amp;", "&")

/** The form of a page as a person would send it: what is ticked stays ticked, and the last button is the one that goes on. */
const filledIn = (page: Answer, { username, password }: Credentials): [string, string] => {
  const action = /<form[^>]* action="([^"]+)"/.exec(page.body)?.[1]
  if (action === undefined) throw new WrongAnswer("a page without a form", page)
  const fields = new URLSearchParams()
  for (const [input] of page.body.matchAll(/<input[^>]*>/g)) {
    const name = / name="([^"]*)"/.exec(input)?.[1] ?? ""
    const value = unescaped(/ value="([^"]*)"/.exec(input)?.[1] ?? "on")
    if (name === "username") fields.append(name, username)
    else if (name === "password") fields.append(name, password)
    else if (!input.includes('type="checkbox"') || input.includes(" checked")) fields.append(name, value)
  }
  const button = [...page.body.matchAll(/<button[^>]* name="([^"]+)" value="([^"]*)"/g)].at(-1)
  if (button !== undefined) fields.append(button[1] ?? "", button[2] ?? "")
  return [action.replaceAll("&amp;", "&"), fields.toString()]
}
