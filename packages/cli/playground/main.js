import { challengeOf, decodeJwt, discover, exchange, signatureHolds, unguessable } from "./protocol.js"
import { h, stepView } from "./view.js"

const at = (id) => document.getElementById(id)
const setup = await (await fetch("/setup.json")).json()

/** Everything this page remembers, for as long as its tab lives. */
const kept = JSON.parse(sessionStorage.getItem("playground") ?? "null") ?? {
  steps: [],
  tokens: {},
  scopes: setup.scopes.filter(({ ticked }) => ticked).map(({ name }) => name),
  prompt: "",
}
const keep = () => sessionStorage.setItem("playground", JSON.stringify(kept))

const trailOf = async (requestId) =>
  requestId === undefined ? [] : (await fetch(`/trails?request_id=${encodeURIComponent(requestId)}`)).json()
const trailsSince = async (mark) => (await fetch(`/trails?after=${mark}`)).json()

const show = (focus) => {
  at("steps").replaceChildren(...kept.steps.map((step, index) => stepView(step, index + 1)))
  at("empty").hidden = kept.steps.length > 0
  at("start-over").hidden = kept.steps.length === 0
  at("session").hidden = kept.tokens.access_token === undefined
  at("refresh").disabled = kept.tokens.refresh_token === undefined
  at("revoke").disabled = kept.tokens.refresh_token === undefined
  const latest = kept.steps.at(-1)
  if (!focus || latest === undefined) return
  at("announce").textContent = `${latest.title}: ${latest.badge}`
  const heading = at(`step-${kept.steps.length}`)
  heading.focus({ preventScroll: true })
  heading.closest("article").scrollIntoView({ block: "start", behavior: "instant" })
}

const add = (...steps) => {
  kept.steps.push(...steps)
  keep()
  show(true)
}

const badgeOf = ({ answer }) => (answer.status < 400 ? String(answer.status) : (answer.body.error ?? String(answer.status)))

/** A request from this page as a step, with the rules it met. */
const stepOf = async (id, title, text, sent, more = {}) => ({
  id,
  title,
  status: sent.answer.status < 400 ? "done" : "refused",
  badge: badgeOf(sent),
  text: sent.answer.status < 400 ? text : (sent.answer.body.error_description ?? "The provider refused the request."),
  request: sent.request,
  answer: sent.answer,
  trails: await trailOf(sent.requestId),
  ...more,
})

const begin = async () => {
  const { authorization_endpoint } = await discover(setup.issuer)
  const { mark } = await (await fetch("/trails/mark")).json()
  const pending = { state: unguessable(), nonce: unguessable(), verifier: unguessable(), mark }
  const request = {
    response_type: "code",
    client_id: setup.clientId,
    redirect_uri: setup.redirectUri,
    scope: kept.scopes.join(" "),
    state: pending.state,
    nonce: pending.nonce,
    code_challenge: await challengeOf(pending.verifier),
    code_challenge_method: "S256",
    ...(kept.prompt === "" ? {} : { prompt: kept.prompt }),
  }
  const url = `${authorization_endpoint}?${new URLSearchParams(request)}`
  Object.assign(kept, { pending: { ...pending, url }, steps: [], tokens: {} })
  keep()
  location.assign(url)
}

/** What came back to the redirect URI, and the code's exchange for tokens. */
const callback = async (params) => {
  const { pending } = kept
  history.replaceState(null, "", "/")
  if (pending === undefined) return
  delete kept.pending
  const error = params.get("error")
  const checks = [
    ["state is the one this page sent (RFC 6749 §10.12)", params.get("state") === pending.state],
    ["iss is the provider that was asked (RFC 9207)", params.get("iss") === setup.issuer],
  ]
  const holds = checks.every(([, check]) => check)
  add({
    id: "authorize",
    title: "Authorization",
    status: error === null && holds ? "done" : "refused",
    badge: error ?? "code",
    text:
      error === null
        ? "The browser came back with a code. The rules below include those of every page in between."
        : (params.get("error_description") ?? "The provider refused the request."),
    checks,
    request: { method: "GET", url: pending.url },
    answer: { redirect_uri: setup.redirectUri, parameters: Object.fromEntries(params) },
    trails: await trailsSince(pending.mark),
  })
  if (error !== null || !holds) return
  const metadata = await discover(setup.issuer)
  const sent = await exchange("POST", metadata.token_endpoint, {
    form: {
      grant_type: "authorization_code",
      code: params.get("code"),
      redirect_uri: setup.redirectUri,
      client_id: setup.clientId,
      code_verifier: pending.verifier,
    },
  })
  await received("token", "Tokens", "The code and its PKCE verifier became tokens.", sent, metadata, pending.nonce)
  if (kept.tokens.access_token !== undefined && kept.scopes.includes("openid")) await userinfo()
}

/** Takes in a token answer, with every check a client owes its ID token (OpenID Connect Core §3.1.3.7). */
const received = async (id, title, text, sent, metadata, nonce) => {
  if (sent.answer.status !== 200) return add(await stepOf(id, title, text, sent))
  const { access_token, refresh_token, id_token } = sent.answer.body
  Object.assign(kept.tokens, { access_token, refresh_token, id_token: id_token ?? kept.tokens.id_token })
  const access = decodeJwt(access_token)
  const identity = id_token === undefined ? undefined : decodeJwt(id_token)
  const checks =
    identity === undefined
      ? []
      : [
          ["The ID token is signed by a published key", await signatureHolds(id_token, metadata.jwks_uri)],
          ["Its issuer is the provider", identity.payload.iss === setup.issuer],
          ["Its audience is this client", [identity.payload.aud].flat().includes(setup.clientId)],
          ["It has not expired", identity.payload.exp * 1000 > Date.now()],
          ...(nonce === undefined ? [] : [["Its nonce is the one this page sent", identity.payload.nonce === nonce]]),
        ]
  const tokens = [
    ...(identity === undefined
      ? []
      : [{ name: "id_token", title: "ID token", note: "Says who signed in, to this client alone.", value: id_token, decoded: identity }]),
    {
      name: "access_token",
      title: "Access token",
      note:
        access === undefined
          ? "Opaque: only the provider knows what it stands for."
          : "A JWT that APIs can check by themselves (RFC 9068).",
      value: access_token,
      decoded: access,
    },
    ...(refresh_token === undefined
      ? []
      : [
          {
            name: "refresh_token",
            title: "Refresh token",
            note: "Opaque, and good for one use: each refresh replaces it.",
            value: refresh_token,
          },
        ]),
  ]
  add(await stepOf(id, title, text, sent, { checks, tokens }))
}

const userinfo = async () => {
  const { userinfo_endpoint } = await discover(setup.issuer)
  const sent = await exchange("GET", userinfo_endpoint, { headers: { authorization: `Bearer ${kept.tokens.access_token}` } })
  add(await stepOf("userinfo", "Userinfo", "The claims that the granted scopes release.", sent, { openAnswer: true }))
}

const refresh = async () => {
  const metadata = await discover(setup.issuer)
  const sent = await exchange("POST", metadata.token_endpoint, {
    form: { grant_type: "refresh_token", refresh_token: kept.tokens.refresh_token, client_id: setup.clientId },
  })
  await received("refresh", "Refresh", "A fresh set of tokens; the old refresh token is spent.", sent, metadata, undefined)
}

const revoke = async () => {
  const { revocation_endpoint } = await discover(setup.issuer)
  const sent = await exchange("POST", revocation_endpoint, {
    form: { token: kept.tokens.refresh_token, token_type_hint: "refresh_token", client_id: setup.clientId },
  })
  add(
    await stepOf("revoke", "Revocation", "The refresh token is dead, and with it every token of this sign-in: ask userinfo to see.", sent),
  )
}

const signOut = async () => {
  const { end_session_endpoint } = await discover(setup.issuer)
  const { mark } = await (await fetch("/trails/mark")).json()
  const state = unguessable()
  const { id_token } = kept.tokens
  const request = {
    // Without the ID token, for want of the openid scope, the provider asks the person first.
    ...(id_token === undefined ? {} : { id_token_hint: id_token }),
    client_id: setup.clientId,
    post_logout_redirect_uri: setup.homeUri,
    state,
  }
  const url = `${end_session_endpoint}?${new URLSearchParams(request)}`
  kept.leaving = { state, mark, url }
  keep()
  location.assign(url)
}

/** Back from signing out (RP-Initiated Logout §3): what this page held is worth nothing any more. */
const signedOut = async (params) => {
  const { leaving } = kept
  history.replaceState(null, "", "/")
  if (leaving === undefined) return
  delete kept.leaving
  const holds = params.get("state") === leaving.state
  if (holds) kept.tokens = {}
  add({
    id: "signed-out",
    title: "Signed out",
    status: holds ? "done" : "refused",
    badge: holds ? "signed out" : "state",
    text: "The session with the provider has ended, and the browser came back to the address registered for that.",
    checks: [["state is the one this page sent (RP-Initiated Logout §3)", holds]],
    request: { method: "GET", url: leaving.url },
    answer: { post_logout_redirect_uri: setup.homeUri, parameters: Object.fromEntries(params) },
    trails: await trailsSince(leaving.mark),
  })
}

const startOver = () => {
  Object.assign(kept, { steps: [], tokens: {} })
  delete kept.pending
  delete kept.leaving
  keep()
  show(false)
  at("sign-in").focus()
}

/** Runs what a button asks for, once at a time; a failure becomes a step. */
const on = (id, event, action) =>
  at(id).addEventListener(event, (happened) => {
    happened.preventDefault()
    void guarded(action)
  })

let busy = false
const guarded = async (action) => {
  if (busy) return
  busy = true
  try {
    await action()
  } catch (error) {
    add({
      id: "failed",
      title: "It did not work",
      status: "refused",
      badge: "failed",
      text: `${error.message}. Is the provider still running?`,
    })
  } finally {
    busy = false
  }
}

for (const { name, title } of setup.scopes) {
  const box = h("input", { type: "checkbox", name: "scope", value: name, id: `scope-${name}`, checked: kept.scopes.includes(name) })
  box.addEventListener("change", () => {
    kept.scopes = [...document.querySelectorAll("input[name=scope]:checked")].map(({ value }) => value)
    keep()
  })
  at("scopes").append(h("label", { class: "tick" }, box, h("span", {}, title)))
}
at("prompt").value = kept.prompt
at("prompt").addEventListener("change", () => {
  kept.prompt = at("prompt").value
  keep()
})
at("people").append(
  h("p", {}, "Sign in as"),
  ...setup.people.map(({ username, password }) => h("p", {}, h("code", {}, username), " with ", h("code", {}, password))),
)
at("link-home").href = `${setup.issuer}/`
at("link-metadata").href = `${setup.issuer}/.well-known/openid-configuration`
at("link-jwks").href = `${setup.issuer}/.well-known/openid-configuration/jwks`
on("request", "submit", begin)
on("userinfo", "click", userinfo)
on("refresh", "click", refresh)
on("revoke", "click", revoke)
on("sign-out", "click", signOut)
on("start-over", "click", startOver)
show(false)

const params = new URLSearchParams(location.search)
if (location.pathname === "/callback" && (params.has("code") || params.has("error"))) await guarded(() => callback(params))
else if (location.pathname === "/" && params.has("state")) await guarded(() => signedOut(params))
document.documentElement.dataset.ready = "true"
