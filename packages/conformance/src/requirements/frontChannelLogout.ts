import { parse } from "node-html-parser"
import { encoded, pairsOf, textOf } from "../exchange/exchange.ts"
import { first, holds, same, shown } from "../oracle/finding.ts"
import { type Needs, area } from "../requirement/requirement.ts"
import { type Jwt, jwtOf } from "../steps/jwt.ts"
import type { Steps } from "../steps/steps.ts"

const needs: Needs = {
  clients: ["framed"],
  person: true,
  metadata: { end_session_endpoint: undefined, frontchannel_logout_supported: true },
}

/** The parts of the page after a sign-out that concern frames. */
interface Shown {
  readonly idToken: Jwt
  /** The frame address that the client registered. */
  readonly registered: string
  /** The parameters of each of the client's frames. */
  readonly frames: ReadonlyArray<URLSearchParams>
  readonly policy: string | undefined
  /** Everything by which the page may navigate: links, refreshes, scripts. */
  readonly onward: string
  readonly after: string | undefined
}

/** Signs in to a client with a frame and out again. */
const leave = async (t: Steps): Promise<Shown> => {
  const browser = t.browser()
  const { tokens } = await t.tokens("framed", {}, { browser })
  const idToken = textOf(tokens["id_token"])
  const { frontchannel_logout_uri: registered = "", post_logout_redirect_uris: [back] = [] } = t.client("framed")
  const query = encoded(pairsOf({ id_token_hint: idToken, post_logout_redirect_uri: back, state: "front" }))
  const { last } = await browser.visit({ method: "GET", url: `${t.endpoint("end_session_endpoint")}?${query}`, headers: {} })
  const page = parse(last.body)
  const addresses = page.querySelectorAll("iframe").flatMap((each) => each.getAttribute("src") ?? [])
  const frames = addresses.filter((each) => URL.canParse(each) && each.startsWith(registered)).map((each) => new URL(each).searchParams)
  const onward = [last.headers.get("refresh") ?? "", page.toString().replaceAll("&amp;", "&")].join("\n")
  return {
    idToken: await jwtOf(t, idToken),
    registered,
    frames,
    policy: last.headers.get("content-security-policy") ?? undefined,
    onward,
    after: back,
  }
}

const row = area("frontchannel", needs)
const cited = "OpenID Connect Front-Channel Logout §3"

/** The sources of a policy's directive that restricts frames; undefined if frames are unrestricted. */
const frameSources = (policy: string): ReadonlyArray<string> | undefined => {
  const directives = new Map(policy.split(";").map((each) => [each.trim().split(/\s+/)[0] ?? "", each.trim().split(/\s+/).slice(1)]))
  return directives.get("frame-src") ?? directives.get("child-src") ?? directives.get("default-src")
}

/** Sign-out by hidden frames (OpenID Connect Front-Channel Logout). */
export const frontChannelLogout = [
  row(
    "framed",
    cited,
    "The page after a sign-out has one frame of a client that the person was signed in to",
    leave,
    ({ frames, registered }) => same(frames.length, 1, `the number of frames of ${shown(registered)}`),
  ),
  row("parameters", cited, "The frame is asked for with iss and sid, or with neither", leave, ({ frames: [frame] }) =>
    holds(frame !== undefined && frame.has("iss") === frame.has("sid"), "one of iss and sid is there without the other"),
  ),
  row("issuer", cited, "iss and sid are those of the client's ID token", leave, ({ frames: [frame], idToken }) => {
    if (frame === undefined) return "there is no frame of the client"
    const told = (name: string) => same(frame.get(name), idToken.claims[name], name)
    return frame.has("iss") ? first(told("iss"), told("sid")) : undefined
  }),
  row("nothing-else", cited, "It carries nothing else", leave, ({ frames: [frame], registered }) =>
    holds(
      frame !== undefined &&
        [...frame.keys()].every(
          (name) => name === "iss" || name === "sid" || (URL.canParse(registered) && new URL(registered).searchParams.has(name)),
        ),
      "there are other parameters",
    ),
  ),
  row("allowed", cited, "The policy of the page lets the browser show the frame", leave, ({ policy, registered }) => {
    const sources = policy === undefined ? undefined : frameSources(policy)
    const origin = URL.canParse(registered) ? new URL(registered).origin : ""
    return holds(
      sources === undefined || sources.some((each) => each === origin || each === "*" || each === "https:" || origin.endsWith(`//${each}`)),
      `the policy allows frames of ${shown(sources)} alone`,
    )
  }),
  row(
    "onward",
    "OpenID Connect RP-Initiated Logout §3",
    "The page goes on to the address that the client named, with its state",
    leave,
    ({ onward, after }) => holds(after !== undefined && onward.includes(`${after}?state=front`), "nothing on the page leads there"),
  ),
]
