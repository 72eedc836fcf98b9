import { type Changes, encoded, pairsOf, textOf } from "../exchange/exchange.ts"
import { type Finding, first, holds, same, shown } from "../oracle/finding.ts"
import { type Needs, type Requirement, area } from "../requirement/requirement.ts"
import { withBrokenSignature } from "../steps/signed.ts"
import type { Browser, Steps, Visit } from "../steps/steps.ts"

const needs: Needs = { clients: ["web"], person: true, metadata: { end_session_endpoint: undefined } }

const row = area("logout", needs)
const cited = "OpenID Connect RP-Initiated Logout §2"

const state = "a state with !\"#$%&'()*+,-./:;<=>?@[]^_`{|}~ of many characters, ninety of them, to be sure"

/** Signs in, then visits the end session endpoint as if a client had sent the browser there. */
const leave = async (t: Steps, changes: (idToken: string, registered: string) => Changes) => {
  const browser = t.browser()
  const { tokens } = await t.tokens("web", {}, { browser })
  const registered = t.client("web").post_logout_redirect_uris?.[0] ?? ""
  const pairs = pairsOf(changes(textOf(tokens["id_token"]), registered))
  const visit = await browser.visit({ method: "GET", url: `${t.endpoint("end_session_endpoint")}?${encoded(pairs)}`, headers: {} })
  return { visit, browser, registered, after: await signedOut(t, browser) }
}

const signedOut = async (t: Steps, browser: Browser): Promise<boolean> =>
  (await t.authorize("web", { prompt: "none" }, { browser })).params["error"] !== undefined

const stays = ({ leaving }: Visit): Finding => holds(leaving === undefined, `the browser was sent to ${shown(leaving?.url)}`)

const tried = (
  id: string,
  title: string,
  changes: (idToken: string, registered: string) => Changes,
  oracle: (seen: Awaited<ReturnType<typeof leave>>) => Finding,
  level: Requirement["level"] = "MUST",
): Requirement => row(id, cited, title, (t) => leave(t, changes), oracle, level)

/** Sign-out started by a client (OpenID Connect RP-Initiated Logout). */
export const logout: ReadonlyArray<Requirement> = [
  tried(
    "redirect",
    "With a hint and a registered address the person is sent back, with the state and nothing else",
    (id_token_hint, post_logout_redirect_uri) => ({ id_token_hint, post_logout_redirect_uri, state }),
    ({ visit, registered }) => {
      if (visit.leaving === undefined) return "the browser was not sent back"
      const url = new URL(visit.leaving.url)
      return first(
        same(url.origin + url.pathname, new URL(registered).origin + new URL(registered).pathname, "the address"),
        same(url.searchParams.get("state"), state, "the state"),
        same(
          [...url.searchParams.keys()].filter((name) => !new URL(registered).searchParams.has(name)),
          ["state"],
          "the parameters",
        ),
      )
    },
  ),
  tried(
    "session-over",
    "After it prompt=none finds no session",
    (id_token_hint, post_logout_redirect_uri) => ({ id_token_hint, post_logout_redirect_uri }),
    ({ after }) => holds(after, "there is still a session"),
  ),
  tried(
    "no-state",
    "Without a state none comes back",
    (id_token_hint, post_logout_redirect_uri) => ({ id_token_hint, post_logout_redirect_uri }),
    ({ visit }) =>
      first(
        holds(visit.leaving !== undefined, "the browser was not sent back"),
        holds(!new URL(visit.leaving?.url ?? "https://none").searchParams.has("state"), "there is a state"),
      ),
  ),
  tried(
    "unregistered",
    "Nobody is sent to an address that is not registered",
    (id_token_hint, registered) => ({ id_token_hint, post_logout_redirect_uri: `${registered}/elsewhere` }),
    ({ visit }) => stays(visit),
  ),
  tried(
    "query-added",
    "An address with a query added is not a registered one",
    (id_token_hint, registered) => ({ id_token_hint, post_logout_redirect_uri: `${registered}?added=1` }),
    ({ visit }) => stays(visit),
  ),
  tried(
    "no-hint",
    "Without a hint and a client nobody is sent anywhere",
    (_, post_logout_redirect_uri) => ({ post_logout_redirect_uri }),
    ({ visit }) => stays(visit),
  ),
  tried(
    "hint-unsigned",
    "A hint that nobody signed sends nobody anywhere",
    (idToken, post_logout_redirect_uri) => ({
      id_token_hint: `${btoa('{"alg":"none"}').replaceAll("=", "")}.${idToken.split(".")[1] ?? ""}.`,
      post_logout_redirect_uri,
    }),
    ({ visit }) => stays(visit),
  ),
  tried(
    "hint-forged",
    "A hint with a broken signature sends nobody anywhere",
    (idToken, post_logout_redirect_uri) => ({ id_token_hint: withBrokenSignature(idToken), post_logout_redirect_uri }),
    ({ visit }) => stays(visit),
  ),
  tried(
    "no-parameters",
    "Without parameters the person is signed out, and stays",
    () => ({}),
    ({ visit, after }) => first(stays(visit), holds(after, "there is still a session")),
  ),
  tried(
    "state-alone",
    "A state alone sends nobody anywhere",
    () => ({ state }),
    ({ visit }) => stays(visit),
  ),
  row(
    "post",
    cited,
    "The endpoint takes POST, too",
    async (t) => {
      const browser = t.browser()
      const { tokens } = await t.tokens("web", {}, { browser })
      const body = encoded(
        pairsOf({ id_token_hint: textOf(tokens["id_token"]), post_logout_redirect_uri: t.client("web").post_logout_redirect_uris?.[0] }),
      )
      const visit = await browser.visit({
        method: "POST",
        url: t.endpoint("end_session_endpoint"),
        headers: { "content-type": "application/x-www-form-urlencoded" },
        body,
      })
      return { visit, after: await signedOut(t, browser) }
    },
    ({ visit, after }) =>
      first(
        holds(visit.leaving !== undefined, `the browser stayed: status ${visit.last.status}`),
        holds(after, "there is still a session"),
      ),
  ),
]
