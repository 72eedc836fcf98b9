import { type Actor, LedgerBrowser, authorizeUrl } from "./actor.ts"
import { type Chain, kill } from "./facts.ts"
import type { Answer } from "./ledger.ts"
import { redeemDevice, took } from "./operations.ts"
import { plainClient, proofKey, redirectUri } from "./setting.ts"

/** Thoroughness of the look at facts. */
export interface Verification {
  /** Part of the live chains whose spent code or token is presented again, which ends them. */
  readonly replayed: number
  /** Number of the dead that are asked about again. */
  readonly dead: number
  readonly chance: () => number
}

/** Looks at everything that was promised to an actor. What is found unsure is settled by what holds now. */
export const verify = async (actor: Actor, how: Verification): Promise<void> => {
  const { chance, replayed } = how
  // Some of the dead stay known: what is revoked stays revoked across every fault to come.
  for (let each = 0; each < how.dead && actor.dead.length > 0; each++) {
    const chain = actor.dead[Math.floor(chance() * actor.dead.length)]
    if (chain !== undefined) await stayDead(actor, chain)
  }
  for (const chain of actor.chains) await verifyChain(actor, chain, chance() < replayed)
  actor.dead = [...actor.dead, ...actor.chains.filter(({ grant }) => grant === "dead")].slice(-24)
  actor.chains = actor.chains.filter(({ grant }) => grant !== "dead").slice(-4)
  for (const device of actor.devices) await verifyDevice(actor, device)
  actor.devices = []
  for (const session of actor.sessions) await verifySession(actor, session)
  actor.sessions = actor.sessions.slice(-2)
  await verifyConsent(actor)
}

const shown = (chain: Chain): string =>
  `${chain.client.id} (${chain.client.format}, grace ${chain.client.grace}), code ${chain.use}, ${chain.refresh.length} refresh tokens, the last ${chain.refresh.at(-1)?.use ?? "none"}`

/** Tells if it was granted: 200 or 400 and nothing else. */
const granted = (actor: Actor, kind: string, { status, text }: Answer): boolean => {
  actor.ledger.check(kind)
  if (status !== 200 && status !== 400) actor.ledger.breach("answer", `${actor.name}: ${kind} is answered ${status} ${text.slice(0, 200)}`)
  return status === 200
}

const verifyAccess = async (actor: Actor, chain: Chain): Promise<void> => {
  // The newest ones: what was promised last is what a crash would take.
  for (const token of chain.access.slice(-2)) {
    const where = chain.client.format === "reference" ? "introspect" : "userinfo"
    const active = await actor.isActive(token.value, where)
    actor.ledger.check("access token")
    if (active === undefined) actor.ledger.breach("answer", `${actor.name}: nobody says whether a token works: ${shown(chain)}`)
    else if (token.fate === "unsure") token.fate = active ? "live" : "dead"
    else if (active !== (token.fate === "live"))
      actor.ledger.breach(
        active ? "revived" : "lost",
        `${actor.name}: an access token that is ${token.fate} is ${active ? "active" : "inactive"}: ${shown(chain)}`,
      )
  }
}

const stayDead = async (actor: Actor, chain: Chain): Promise<void> => {
  await verifyAccess(actor, chain)
  const last = chain.refresh.at(-1)
  if (last !== undefined && granted(actor, "dead refresh token", await actor.refresh(last.value)))
    actor.ledger.breach("revived", `${actor.name}: a revoked grant is refreshed: ${shown(chain)}`)
  if (last === undefined && chain.use !== "spent" && granted(actor, "dead code", await actor.redeem(chain.code, chain.verifier)))
    actor.ledger.breach("revived", `${actor.name}: a code of a revoked grant is redeemed: ${shown(chain)}`)
}

/** Redeems the code or rotates the last token; what was unsure is known then. False when the chain is found dead. */
const advance = async (actor: Actor, chain: Chain): Promise<boolean> => {
  const { ledger, name } = actor
  const last = chain.refresh.at(-1)
  const maybeDead = chain.grant === "unsure"
  if (last === undefined) {
    const before = chain.use
    const answer = await actor.redeem(chain.code, chain.verifier)
    const works = granted(actor, `${before} code`, answer)
    chain.use = "spent"
    if (works) took(chain, answer)
    if (works && before === "spent") ledger.breach("double", `${name}: a spent code is redeemed again: ${shown(chain)}`)
    if (!works && before === "fresh" && !maybeDead) ledger.breach("lost", `${name}: a fresh code is gone: ${shown(chain)}`)
    if (!works) kill(chain)
    return works
  }
  const before = last.use
  const answer = await actor.refresh(last.value)
  const works = granted(actor, `${before} refresh token`, answer)
  last.use = "spent"
  if (works) took(chain, answer)
  // With a grace, a rotation whose answer was lost may be asked for again; without one it is lost or done.
  if (!works && !maybeDead && (before === "fresh" || chain.client.grace > 0))
    ledger.breach("lost", `${name}: a live refresh token is gone: ${shown(chain)} ${answer.text}`)
  if (!works) kill(chain)
  return works
}

const verifyChain = async (actor: Actor, chain: Chain, again: boolean): Promise<void> => {
  if (chain.grant === "dead") return stayDead(actor, chain)
  if (chain.grant === "live") await verifyAccess(actor, chain)
  const unsure = chain.grant === "unsure"
  const older = chain.access.slice(-1)
  if (!(await advance(actor, chain))) {
    // Dead is dead all over: what came of it before must not work either.
    return stayDead(actor, chain)
  }
  chain.grant = "live"
  if (unsure) for (const token of older) if (token.fate !== "dead") await verifyAccess(actor, chain)
  if (again) await presentAgain(actor, chain)
}

/** Presents something spent once more: it is refused, and everything of the grant dies. */
const presentAgain = async (actor: Actor, chain: Chain): Promise<void> => {
  const { grace } = chain.client
  // Within the grace the token before the last answers with the last, as long as that is unused.
  const spent = chain.refresh.at(grace === 0 ? -2 : -3)
  const answer = spent === undefined ? await actor.redeem(chain.code, chain.verifier) : await actor.refresh(spent.value)
  if (granted(actor, spent === undefined ? "spent code" : "rotated token", answer))
    actor.ledger.breach("double", `${actor.name}: ${spent === undefined ? "a spent code" : "a rotated token"} works again: ${shown(chain)}`)
  kill(chain)
  await stayDead(actor, chain)
}

const verifyDevice = async (actor: Actor, fact: Actor["devices"][number]): Promise<void> => {
  const { ledger, name } = actor
  const { status, json } = await redeemDevice(actor, fact.deviceCode)
  const said = status === 200 ? "tokens" : String(json["error"])
  ledger.check(`device ${fact.decision}, ${fact.use}`)
  const expected = expectedOf(fact)
  if (!expected.includes(said)) {
    const rule = said === "tokens" ? (fact.use === "spent" ? "double" : "revived") : status === 400 ? "lost" : "answer"
    ledger.breach(rule, `${name}: a device that is ${fact.decision} and ${fact.use} is answered ${said} (${status})`)
  }
  if (said === "tokens") {
    const again = await redeemDevice(actor, fact.deviceCode)
    if (again.status === 200) ledger.breach("double", `${name}: a device code gives tokens twice`)
  }
  if (fact.tokens !== undefined && (await actor.isActive(fact.tokens.access, "introspect")) !== true)
    ledger.breach("lost", `${name}: a device's access token does not work`)
}

const expectedOf = ({ decision, use }: Actor["devices"][number]): ReadonlyArray<string> => {
  if (use === "spent") return ["invalid_grant"]
  if (use === "unsure") return ["tokens", "invalid_grant"]
  switch (decision) {
    case "pending":
      return ["authorization_pending"]
    case "approved":
      return ["tokens"]
    case "denied":
      return ["access_denied"]
    case "perhaps approved":
      return ["tokens", "authorization_pending"]
    case "perhaps denied":
      return ["access_denied", "authorization_pending"]
  }
}

/** Asks silently, and answers a code or the error. */
const silently = async (browser: LedgerBrowser, url: string): Promise<string> => {
  const at = await browser.follow(url)
  if (!at.url.startsWith(redirectUri)) return String(at.response.status)
  const { searchParams } = new URL(at.url)
  return searchParams.has("code") ? "code" : String(searchParams.get("error"))
}

const verifySession = async (actor: Actor, fact: Actor["sessions"][number]): Promise<void> => {
  const browser = new LedgerBrowser(actor.ledger, actor.name, actor.url)
  for (const [name, value] of fact.cookies) browser.cookies.set(name, value)
  const said = await silently(
    browser,
    authorizeUrl(actor.url(), plainClient, proofKey().challenge, { scope: "openid profile", prompt: "none" }),
  )
  const active = await actor.isActive(fact.access, "userinfo")
  actor.ledger.check(`session ${fact.fate}`)
  if (said !== "code" && said !== "login_required") actor.ledger.breach("answer", `${actor.name}: a silent request is answered ${said}`)
  const lives = said === "code"
  if (fact.fate !== "unsure" && lives !== (fact.fate === "live"))
    actor.ledger.breach(lives ? "revived" : "lost", `${actor.name}: a session that is ${fact.fate} is answered ${said}`)
  if (active !== lives)
    actor.ledger.breach(
      lives ? "lost" : "revived",
      `${actor.name}: the session is answered ${said}, its token is ${active === true ? "active" : "inactive"}`,
    )
  fact.fate = lives ? "live" : "dead"
}

const verifyConsent = async (actor: Actor): Promise<void> => {
  const said = await silently(actor.browser, authorizeUrl(actor.url(), actor.client.id, proofKey().challenge, { prompt: "none" }))
  actor.ledger.check(`consent ${actor.consent}`)
  if (said !== "code" && said !== "consent_required") actor.ledger.breach("answer", `${actor.name}: a silent request is answered ${said}`)
  const stands = said === "code"
  if (actor.consent !== "unsure" && stands !== (actor.consent === "live"))
    actor.ledger.breach(stands ? "revived" : "lost", `${actor.name}: a consent that is ${actor.consent} is answered ${said}`)
  actor.consent = stands ? "live" : "dead"
}
