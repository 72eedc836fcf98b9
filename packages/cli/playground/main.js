import { attacks, runAttack } from "./attacks.js"
import { at, details, h, onClick } from "./dom.js"
import { begin, beginAttack, finish, refresh, responseChecks, revoke, signOut, signedOut, userinfo } from "./flow.js"
import { verdictView } from "./rules.js"
import { forgetSignIn, keep, kept, setup } from "./state.js"
import { resumeTelevision } from "./television.js"
import { callView } from "./view.js"

/** Shows the failure of a button's action as a call. */
const failed = async (error) => {
  kept.calls.push({
    id: "failed",
    title: "It did not work",
    text: `${error.message}. Is the provider still running?`,
    status: "refused",
    badge: "failed",
  })
  draw()
}

const said = (text) => (at("announce").textContent = text)

/** Does something that adds calls, and tells of the last. */
const adding = (action) => async () => {
  await action()
  draw()
  const latest = kept.calls.at(-1)
  if (latest !== undefined) said(`${latest.title}: ${latest.badge}`)
}

const granted = () => kept.granted.split(" ")

const resultView = ({ calls, verdict, answer, after }) =>
  h(
    "div",
    { class: "result", "data-refused": verdict === undefined ? "no" : "yes", tabindex: "-1" },
    verdict === undefined
      ? h("div", { class: "verdict verdict-none" }, h("p", { class: "verdict-head" }, `Not refused: ${answer}`))
      : verdictView(verdict),
    after !== undefined && h("p", { class: "after" }, after),
    details(
      `What was sent: ${calls.length} request${calls.length === 1 ? "" : "s"}`,
      false,
      h("ol", { class: "calls" }, ...calls.map((call) => callView(call))),
    ),
  )

const attackView = (attack) => {
  const { id, title, text, needs, fresh } = attack
  const result = kept.results[id]
  const possible = needs === undefined || granted().includes(needs)
  const button = h(
    "button",
    { class: "button", type: "button", id: `attack-${id}`, disabled: !possible, "aria-describedby": `about-${id}` },
    title,
  )
  onClick(button, () => (fresh === true ? beginAttack(id) : attempt(attack)), failed)
  return h(
    "li",
    { class: "panel attack", "data-attack": id },
    h("p", { id: `about-${id}` }, text, !possible && h("span", { class: "quiet" }, ` Needs the scope ${needs}.`)),
    button,
    result !== undefined && resultView(result),
  )
}

/** Attacks, and shows what came of it. */
const attempt = async (attack, fresh) => {
  kept.results[attack.id] = await runAttack(attack, fresh)
  draw()
  const { verdict, answer } = kept.results[attack.id]
  said(verdict === undefined ? `${attack.title}: not refused, ${answer}` : `${attack.title}: refused by ${verdict.rule}, ${verdict.cites}`)
}

const signedIn = () => kept.tokens.access_token !== undefined

const draw = () => {
  keep()
  const { calls, person, tokens } = kept
  // The first thing to look at is what was refused.
  at("steps").replaceChildren(...calls.map((call, index) => callView(call, call.status === "refused" && index === calls.length - 1)))
  at("flow").hidden = calls.length === 0
  at("session").hidden = !signedIn()
  at("attacks").hidden = !signedIn()
  for (const id of ["refresh", "revoke"]) at(id).disabled = tokens.refresh_token === undefined
  at("request-fields").open = !signedIn()
  document.documentElement.dataset.signedIn = String(signedIn())
  at("sign-in").textContent = signedIn() ? "Sign in again" : "Sign in"
  if (!signedIn()) return
  at("session-title").textContent = person?.name ?? "Signed in"
  at("session-initial").textContent = (person?.name ?? "?").slice(0, 1)
  at("session-about").textContent = [person?.email, `scope ${kept.granted}`].filter((part) => part !== undefined).join(" · ")
  at("attack-list").replaceChildren(...attacks.map(attackView))
}

/** Back from the provider with a code for an attack: the page shows the attack it was left at. */
const goOnAttacking = async (params, pending) => {
  const attack = attacks.find(({ id }) => id === pending.attack)
  const code = params.get("code")
  const holds = responseChecks(params, pending).every(([, check]) => check)
  draw()
  if (attack === undefined) return
  if (code === null || !holds) {
    const answer = `no fresh code: ${params.get("error") ?? "the response was not this page's"}. Sign in again.`
    kept.results[attack.id] = { calls: [], verdict: undefined, answer }
    draw()
  } else await attempt(attack, { code, verifier: pending.verifier })
  const card = document.querySelector(`[data-attack="${attack.id}"]`)
  card?.scrollIntoView({ block: "center", behavior: "instant" })
  card?.querySelector(".result")?.focus({ preventScroll: true })
}

const back = async (params) => {
  const { pending } = kept
  history.replaceState(null, "", "/")
  if (pending === undefined) return
  delete kept.pending
  if (pending.attack !== undefined) return goOnAttacking(params, pending)
  await adding(() => finish(params, pending))()
  // The top of the page says how it went: nothing scrolls.
  if (signedIn()) at("session-title").focus({ preventScroll: true })
}

const left = async (params) => {
  const { leaving } = kept
  history.replaceState(null, "", "/")
  if (leaving === undefined) return
  delete kept.leaving
  await adding(() => signedOut(params, leaving))()
}

for (const { name, title } of setup.scopes) {
  const box = h("input", { type: "checkbox", name: "scope", value: name, id: `scope-${name}`, checked: kept.scopes.includes(name) })
  box.addEventListener("change", () => {
    kept.scopes = [...document.querySelectorAll("input[name=scope]:checked")].map(({ value }) => value)
    keep()
  })
  at("scopes").append(h("label", { class: "tick" }, box, h("span", {}, h("code", {}, name), h("span", { class: "quiet" }, ` ${title}`))))
}
at("payment").checked = kept.payment
at("payment").addEventListener("change", () => {
  kept.payment = at("payment").checked
  keep()
})
at("prompt").value = kept.prompt
at("prompt").addEventListener("change", () => {
  kept.prompt = at("prompt").value
  keep()
})
at("people").append(
  "Sign in as ",
  ...setup.people.flatMap(({ username, password }, index) => [
    index === 0 ? "" : " or ",
    h("code", {}, username),
    " with ",
    h("code", {}, password),
  ]),
)
at("link-home").href = `${setup.issuer}/`
at("link-metadata").href = `${setup.issuer}/.well-known/openid-configuration`
at("link-jwks").href = `${setup.issuer}/.well-known/openid-configuration/jwks`
at("request").addEventListener("submit", (event) => {
  event.preventDefault()
  void begin().catch(failed)
})
onClick(at("userinfo"), adding(userinfo), failed)
onClick(at("refresh"), adding(refresh), failed)
onClick(at("revoke"), adding(revoke), failed)
onClick(at("sign-out"), signOut, failed)
onClick(
  at("start-over"),
  async () => {
    forgetSignIn()
    draw()
    at("sign-in").focus()
  },
  failed,
)
draw()
resumeTelevision()

const params = new URLSearchParams(location.search)
if (location.pathname === "/callback" && (params.has("code") || params.has("error"))) await back(params).catch(failed)
else if (location.pathname === "/" && params.has("state")) await left(params).catch(failed)
document.documentElement.dataset.ready = "true"
