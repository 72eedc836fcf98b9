import { type Actor, LedgerBrowser, authorizeUrl, orNone, signIn } from "./actor.ts"
import { type Chain, kill } from "./facts.ts"
import type { Answer } from "./ledger.ts"
import { type LoadClient, plainClient, proofKey, redirectUri, television } from "./setting.ts"

/** Refused for now: nothing was done. */
const refusedNow = ({ status }: Answer): boolean => status === 503 || status === 429

const paramsOf = (url: string): URLSearchParams => (url.startsWith(redirectUri) ? new URL(url).searchParams : new URLSearchParams())

/** Asks for authorization, and consents or denies where that is asked. A code begins a chain. */
export const begin = async (actor: Actor, decision: "allow" | "deny" = "allow"): Promise<Chain | undefined> => {
  const { verifier, challenge } = proofKey()
  const before = actor.consent
  actor.browser.watch = (method, path, status) => {
    if (method === "POST" && path === "/consent") actor.consent = status < 400 ? (decision === "allow" ? "live" : actor.consent) : before
  }
  let at = await actor.browser.follow(authorizeUrl(actor.url(), actor.client.id, challenge))
  if (!at.url.startsWith(redirectUri) && at.response.status === 200) {
    const html = await at.response.text()
    if (!html.includes('id="consent-allow"')) {
      actor.ledger.breach("answer", `${actor.name}: neither a code nor a consent page: ${new URL(at.url).pathname}`)
      return undefined
    }
    if (before === "live") actor.ledger.breach("lost", `${actor.name}: consent was given and is asked for again`)
    if (decision === "allow") actor.consent = "unsure"
    at = await actor.browser.submit(html, at.url, { decision })
  } else if (before === "dead" && paramsOf(at.url).has("code")) actor.ledger.breach("revived", `${actor.name}: a code without consent`)
  const code = paramsOf(at.url).get("code")
  if (code === null) return undefined
  if (decision === "deny" && before === "dead") actor.ledger.breach("revived", `${actor.name}: denied, and given a code`)
  const chain: Chain = { client: actor.client, code, verifier, use: "fresh", grant: "live", access: [], refresh: [] }
  actor.chains.push(chain)
  return chain
}

/** Writes down what tokens an answer brought. */
export const took = (chain: Chain, { json }: Answer): void => {
  chain.access.push({ value: String(json["access_token"]), fate: "live" })
  chain.refresh.push({ value: String(json["refresh_token"]), use: "fresh" })
}

/** Redeems a fresh code. */
export const redeem = async (actor: Actor, chain: Chain): Promise<void> => {
  chain.use = "unsure"
  const answer = await actor.redeem(chain.code, chain.verifier)
  if (answer.status === 200) {
    chain.use = "spent"
    took(chain, answer)
  } else if (refusedNow(answer)) chain.use = "fresh"
  else actor.ledger.breach("lost", `${actor.name}: a fresh code is refused: ${answer.status} ${answer.text}`)
}

/** Rotates the last refresh token. */
export const rotate = async (actor: Actor, chain: Chain): Promise<void> => {
  const last = chain.refresh.at(-1)
  if (last === undefined) return
  last.use = "unsure"
  const answer = await actor.refresh(last.value)
  if (answer.status === 200) {
    last.use = "spent"
    took(chain, answer)
  } else if (refusedNow(answer)) last.use = "fresh"
  else actor.ledger.breach("lost", `${actor.name}: a live refresh token is refused: ${answer.status} ${answer.text}`)
}

/** Revokes the grant by its refresh token. */
export const revoke = async (actor: Actor, chain: Chain): Promise<void> => {
  const last = chain.refresh.at(-1)
  if (last === undefined) return
  chain.grant = "unsure"
  const answer = await actor.post("revoke", "/connect/revocation", { token: last.value })
  if (answer.status === 200) kill(chain)
  else if (refusedNow(answer)) chain.grant = "live"
  else actor.ledger.breach("answer", `${actor.name}: a revocation is refused: ${answer.status} ${answer.text}`)
}

/** Revokes one reference token, which dies alone. */
export const revokeAccess = async (actor: Actor, chain: Chain): Promise<void> => {
  const token = chain.access.at(-1)
  if (token === undefined || token.fate !== "live" || chain.client.format === "jwt") return
  token.fate = "unsure"
  const answer = await actor.post("revoke access", "/connect/revocation", { token: token.value })
  if (answer.status === 200) token.fate = "dead"
  else if (refusedNow(answer)) token.fate = "live"
}

/** Presents a spent code again, which ends its grant. */
export const replay = async (actor: Actor, chain: Chain): Promise<void> => {
  if (chain.use !== "spent") return
  chain.grant = "unsure"
  const answer = await actor.redeem(chain.code, chain.verifier)
  if (answer.status === 400) kill(chain)
  else if (refusedNow(answer)) chain.grant = "live"
  else actor.ledger.breach("double", `${actor.name}: a spent code is answered ${answer.status}`)
}

/** Presents one code twice at once: one of them gets tokens, and the other ends the grant. */
export const raceCode = async (actor: Actor, chain: Chain): Promise<void> => {
  if (chain.use !== "fresh") return
  chain.use = "unsure"
  chain.grant = "unsure"
  const answers = await Promise.all([0, 1].map(() => orNone(actor.redeem(chain.code, chain.verifier))))
  const won = answers.filter((answer) => answer?.status === 200)
  const lost = answers.filter((answer) => answer?.status === 400)
  for (const answer of won) if (answer !== undefined) took(chain, answer)
  if (won.length === 2) actor.ledger.breach("double", `${actor.name}: a code is redeemed twice`)
  if (lost.length === 2) actor.ledger.breach("lost", `${actor.name}: a fresh code is refused to both`)
  if (won.length === 1) chain.use = "spent"
  // One that came too late for the code's life ends nothing.
  if (won.length === 1 && lost.some((answer) => answer?.text.includes("has been used"))) kill(chain)
}

/** Withdraws what the person has consented to, which ends every grant of theirs at this client. */
export const withdraw = async (actor: Actor): Promise<void> => {
  if (actor.consent !== "live") return
  const touched = actor.chains.filter(({ grant }) => grant === "live")
  actor.consent = "unsure"
  for (const chain of touched) chain.grant = "unsure"
  const body = new URLSearchParams({ csrf: actor.csrf, client_id: actor.client.id })
  const { status } = await actor.browser.go(`${actor.url()}/consents/withdraw`, { method: "POST", body })
  if (status === 303) {
    actor.consent = "dead"
    for (const chain of actor.chains) kill(chain)
  } else if (status === 503) {
    actor.consent = "live"
    for (const chain of touched) chain.grant = "live"
  } else actor.ledger.breach("answer", `${actor.name}: a withdrawal is answered ${status}`)
}

const tv: Pick<LoadClient, "id" | "secret"> = { id: television, secret: undefined }

/** Redeems a device code. */
export const redeemDevice = (actor: Actor, deviceCode: string): Promise<Answer> => {
  const fields = { grant_type: "urn:ietf:params:oauth:grant-type:device_code", device_code: deviceCode }
  return actor.post("device redeem", "/connect/token", fields, tv)
}

/** A device asks; the person allows it, denies it or lets it wait; it may get its tokens. */
export const device = async (actor: Actor, chance: () => number): Promise<void> => {
  const started = await actor.post("device start", "/connect/deviceauthorization", {}, tv)
  if (started.status !== 200) return
  const deviceCode = String(started.json["device_code"])
  const fact = {
    deviceCode,
    userCode: String(started.json["user_code"]),
    decision: "pending",
    use: "fresh",
    tokens: undefined,
  } as Actor["devices"][number]
  actor.devices.push(fact)
  if (chance() < 0.2) return
  const at = await actor.browser.follow(`${actor.url()}/device?user_code=${fact.userCode}`)
  const html = await at.response.text()
  if (!html.includes('id="device-allow"')) return
  const allow = chance() < 0.75
  fact.decision = allow ? "perhaps approved" : "perhaps denied"
  const done = await (await actor.browser.submit(html, at.url, { decision: allow ? "allow" : "deny" })).response.text()
  if (done.includes(allow ? "device-approved" : "device-denied")) fact.decision = allow ? "approved" : "denied"
  if (fact.decision !== "approved" || chance() < 0.3) return
  fact.use = "unsure"
  const answer = await redeemDevice(actor, deviceCode)
  if (answer.status === 200) {
    fact.use = "spent"
    fact.tokens = { access: String(answer.json["access_token"]), refresh: String(answer.json["refresh_token"]) }
  } else if (refusedNow(answer)) fact.use = "fresh"
  else actor.ledger.breach("lost", `${actor.name}: an approved device is refused: ${answer.status} ${answer.text}`)
}

/** Signs in with another browser, and may sign out again: a token that does not act offline ends with it. */
export const session = async (actor: Actor, chance: () => number): Promise<void> => {
  const browser = new LedgerBrowser(actor.ledger, actor.name, actor.url)
  if (!(await signIn(browser, actor.url(), actor.person))) return
  const { verifier, challenge } = proofKey()
  const { url } = await browser.follow(authorizeUrl(actor.url(), plainClient, challenge, { scope: "openid profile" }))
  const answer = await actor.redeem(paramsOf(url).get("code") ?? "", verifier, { id: plainClient, secret: undefined })
  if (answer.status !== 200) return
  const fact: Actor["sessions"][number] = { cookies: new Map(browser.cookies), access: String(answer.json["access_token"]), fate: "live" }
  actor.sessions.push(fact)
  if (chance() < 0.4) return
  const page = await browser.follow(`${actor.url()}/logout`)
  const html = await page.response.text()
  if (!html.includes('id="logout-confirm"')) return
  fact.fate = "unsure"
  const done = await (await browser.submit(html, page.url, {})).response.text()
  if (done.includes('id="logged-out"')) fact.fate = "dead"
}
