// A television: a device without a keyboard (RFC 8628). It polls no faster than it is told to.

import { at, h, onClick } from "./dom.js"
import { userinfoWith } from "./flow.js"
import { discover, exchange } from "./protocol.js"
import { verdictOf, verdictView } from "./rules.js"
import { keep, kept, setup } from "./state.js"
import { callOf } from "./trails.js"
import { callView } from "./view.js"

const grantType = "urn:ietf:params:oauth:grant-type:device_code"
const tv = kept.television
let timer

/** The screen for each state. */
const screens = {
  off: () => [h("p", {}, "A device without a keyboard. The person signs in on another screen.")],
  waiting: () => [
    h("p", {}, "On a phone or computer, open"),
    h("p", { class: "tv-address" }, tv.uri.replace(/^https?:\/\//, "")),
    h("p", {}, "and enter the code"),
    h("p", { class: "tv-code", id: "tv-code" }, tv.userCode),
    h("p", { class: "tv-poll", id: "tv-poll" }, pollText()),
  ],
  done: () => [h("p", { class: "tv-welcome" }, `Welcome, ${tv.name}`), h("p", {}, "The television is signed in.")],
  denied: () => [h("p", { class: "tv-welcome" }, "Not connected"), h("p", {}, "The person said no on the other screen.")],
  expired: () => [h("p", { class: "tv-welcome" }, "The code has expired"), h("p", {}, "Nobody entered it in time.")],
}

const pollText = () =>
  tv.polls === 0 ? `Asks every ${tv.interval} s` : `Asked ${tv.polls} time${tv.polls === 1 ? "" : "s"}, every ${tv.interval} s: ${tv.last}`

/** Draws the television. */
export const drawTelevision = () => {
  at("television").dataset.state = tv.state
  at("tv-screen").replaceChildren(...screens[tv.state]())
  const waiting = tv.state === "waiting"
  const start = onClick(h("button", { class: "button", id: "tv-start", type: "button" }, startText()), startOver, failed)
  at("tv-controls").replaceChildren(
    ...(waiting
      ? [
          h(
            "a",
            { class: "button button-main", id: "tv-open", href: tv.complete, target: "_blank", rel: "noopener" },
            "Enter the code in a new tab",
          ),
          onClick(h("button", { class: "button", id: "tv-fast", type: "button" }, "Poll too fast"), pollTooFast, failed),
        ]
      : []),
    ...(tv.state === "done"
      ? [onClick(h("button", { class: "button", id: "tv-replay", type: "button" }, "Use the device code again"), replay, failed)]
      : []),
    start,
    ...(tv.verdict === undefined ? [] : [verdictView(tv.verdict)]),
  )
  at("tv-calls").replaceChildren(...tv.calls.map((call) => callView(call)))
}

const startText = () => (tv.state === "off" ? "Turn on the television" : "Start again")

const change = (changes, said) => {
  Object.assign(tv, changes)
  keep()
  drawTelevision()
  if (said !== undefined) at("tv-announce").textContent = said
}

const failed = async (error) =>
  change({ calls: [...tv.calls, { id: "failed", title: "It did not work", text: error.message, status: "refused", badge: "failed" }] })

const startOver = async () => {
  clearTimeout(timer)
  const { device_authorization_endpoint } = await discover(setup.issuer)
  const sent = await exchange("POST", device_authorization_endpoint, {
    form: { client_id: setup.television.clientId, scope: setup.television.scope },
  })
  const calls = [await callOf("device", "Device authorization", "The provider gave a device code and a user code.", sent)]
  const { device_code, user_code, verification_uri, verification_uri_complete, expires_in, interval } = sent.answer.body
  if (sent.answer.status !== 200) return change({ state: "off", calls })
  change(
    {
      state: "waiting",
      calls,
      deviceCode: device_code,
      userCode: user_code,
      uri: verification_uri,
      complete: verification_uri_complete,
      expiresAt: Date.now() + expires_in * 1000,
      interval,
      polls: 0,
      last: "",
      verdict: undefined,
      name: undefined,
    },
    `The television shows the code ${[...user_code].join(" ")}`,
  )
  wait()
}

const poll = async () => {
  const { token_endpoint } = await discover(setup.issuer)
  return exchange("POST", token_endpoint, {
    form: { grant_type: grantType, device_code: tv.deviceCode, client_id: setup.television.clientId },
  })
}

/** Waits for the interval, and asks. */
const wait = () => {
  clearTimeout(timer)
  timer = setTimeout(() => void ask().catch(failed), tv.interval * 1000)
}

const endings = { access_denied: "denied", expired_token: "expired" }

const ask = async () => {
  if (tv.state !== "waiting") return
  const sent = await poll()
  await told(sent)
  if (tv.state === "waiting") wait()
}

/** Takes in what a poll was told (RFC 8628 §3.5). */
const told = async (sent) => {
  const { status, body } = sent.answer
  if (status === 200) return signedIn(sent)
  const call = await callOf("poll", `Poll ${tv.polls + 1}`, "", sent)
  const calls = [...tv.calls.filter(({ id }) => id !== "poll"), call]
  const next = { polls: tv.polls + 1, last: body.error, calls, interval: tv.interval + (body.error === "slow_down" ? 5 : 0) }
  const ending = endings[body.error]
  if (ending === undefined && body.error !== "authorization_pending" && body.error !== "slow_down")
    return change({ ...next, state: "expired" })
  // Told to a screen reader only when something changes.
  change({ ...next, ...(ending === undefined ? {} : { state: ending }) }, ending && `Television: ${ending}`)
}

const signedIn = async (sent) => {
  const token = await callOf("poll", "Tokens", "The device code became tokens.", sent)
  const asked = await userinfoWith(sent.answer.body.access_token)
  const call = await callOf("userinfo", "Userinfo", "Who watches.", asked)
  const { name, sub } = asked.answer.body
  change(
    { state: "done", name: name ?? sub, calls: [...tv.calls.filter(({ id }) => id !== "poll"), token, call] },
    `The television is signed in as ${name ?? sub}`,
  )
}

/** Asks twice at once: the second is told to slow down, and the interval grows (RFC 8628 §3.5). */
const pollTooFast = async () => {
  await told(await poll())
  if (tv.state !== "waiting") return
  const second = await poll()
  await told(second)
  if (tv.state !== "waiting") return
  change({ verdict: verdictOf(tv.calls.at(-1).trails) }, "The television was told to slow down")
  wait()
}

/** Uses the device code once more: it was good for one sign-in. */
const replay = async () => {
  const call = await callOf("replay", "The device code again", "Accepted.", await poll())
  change(
    { calls: [...tv.calls.filter(({ id }) => id !== "replay"), call], verdict: verdictOf(call.trails) },
    `${call.title}: ${call.badge}`,
  )
}

/** Goes on where the tab was left. */
export const resumeTelevision = () => {
  drawTelevision()
  if (tv.state === "waiting") wait()
}
