// Attacks on the provider, each sent for real. What refused it is read from the trail, not known beforehand.

import { authorizationRequest, redeem, refreshWith, userinfoWith } from "./flow.js"
import { unguessable } from "./protocol.js"
import { verdictOf } from "./rules.js"
import { kept, setup } from "./state.js"
import { callOf, trailsSince } from "./trails.js"

/** An attack that is one call. */
const single = (call, after) => ({ calls: [call], decisive: call, after })

/** A request to a page of the provider, whose answer only the trail tells. */
const frontAttack = (title, text, changes, after) => async () => {
  const { pending, url } = await authorizationRequest({ scope: kept.granted, ...changes })
  await fetch(url, { mode: "no-cors", credentials: "omit" })
  const trails = await trailsSince(pending.mark)
  const status = trails.at(-1)?.status
  const refused = verdictOf(trails) !== undefined
  const call = {
    id: "attack",
    title,
    text: refused ? text : "The provider took the request.",
    status: refused ? "refused" : "done",
    badge: `${status ?? "no answer"}`,
    request: { method: "GET", url },
    answer: { status },
    trails,
  }
  return single(call, after)
}

const dead = async (accessToken, title) => callOf("after", title, "It still works.", await userinfoWith(accessToken))

const redeemed = async (title, code, verifier) => {
  const sent = await redeem(code, verifier)
  return [sent, await callOf("token", title, "Accepted.", sent)]
}

/** Attacks in the order they are shown. One that is `fresh` starts with a new code; `run` answers with the calls it made, the attack last but for `after`. */
export const attacks = [
  {
    id: "replay-code",
    title: "Replay the code",
    text: "Redeem one authorization code twice, as a thief with a copy would.",
    fresh: true,
    run: async ({ code, verifier }) => {
      const [first, use] = await redeemed("The code, used once", code, verifier)
      const [, replay] = await redeemed("The same code again", code, verifier)
      return {
        calls: [use, replay, await dead(first.answer.body.access_token, "The access token of the first use")],
        decisive: replay,
        after: "The thief and the owner cannot be told apart, so what the first use gave was revoked too.",
      }
    },
  },
  {
    id: "wrong-verifier",
    title: "Send a wrong verifier",
    text: "Redeem a stolen code without knowing its PKCE verifier.",
    fresh: true,
    run: async ({ code }) => {
      const [, call] = await redeemed("The code with a guessed verifier", code, unguessable())
      return single(call, "A stolen code is worth nothing without its verifier.")
    },
  },
  {
    id: "no-pkce",
    title: "Leave PKCE out",
    text: "Start a sign-in without a code challenge, so that any holder of the code could redeem it.",
    run: frontAttack(
      "Authorize without code_challenge",
      "Refused before anybody was asked to sign in.",
      { code_challenge: undefined, code_challenge_method: undefined },
      "The error went to the registered redirect URI.",
    ),
  },
  {
    id: "foreign-redirect",
    title: "Redirect elsewhere",
    text: "Ask for the code to be sent to an address that is not registered.",
    run: frontAttack(
      "Authorize with another redirect_uri",
      "Refused with a page. The browser was not redirected.",
      { redirect_uri: "https://evil.example/callback" },
      "The person sees an error page, and the address gets nothing.",
    ),
  },
  {
    id: "token-in-address",
    title: "Ask for a token in the address",
    text: "Use the implicit flow, whose tokens end up in histories and logs.",
    run: frontAttack(
      "Authorize with response_type=token",
      "Refused before anybody was asked to sign in.",
      { response_type: "token", scope: "notes.read" },
      "The flow is off for every client that is not registered for it.",
    ),
  },
  {
    id: "widen-scope",
    title: "Widen the scope",
    text: "Ask for more at refresh than the person allowed.",
    needs: "offline_access",
    run: async () => {
      const granted = kept.granted.split(" ")
      const more = setup.scopes.find(({ name }) => !granted.includes(name))?.name ?? "admin"
      const sent = await refreshWith(kept.tokens.refresh_token, { scope: `${kept.granted} ${more}` })
      const call = await callOf("attack", `Refresh with ${more} added`, "Accepted.", sent)
      return single(call, "The refresh token was not used up: refreshing still works.")
    },
  },
  {
    id: "reuse-refresh",
    title: "Use a refresh token twice",
    text: "Use a stolen refresh token after its owner has gone on with the next.",
    needs: "offline_access",
    fresh: true,
    run: async ({ code, verifier }) => {
      const call = async (title, sent) => callOf("token", title, "Accepted.", sent)
      const [first, use] = await redeemed("The code, for a family of its own", code, verifier)
      const stolen = first.answer.body.refresh_token
      const second = await refreshWith(stolen)
      const lost = await refreshWith(stolen)
      const third = await refreshWith(second.answer.body.refresh_token)
      const replay = await refreshWith(stolen)
      const decisive = await call("The first token once more", replay)
      return {
        calls: [
          use,
          await call("Refreshed: a second token", second),
          await callOf(
            "token",
            "The first token again, at once",
            "Answered with the same second token: a lost response costs nobody a sign-in.",
            lost,
          ),
          await call("Refreshed: a third token", third),
          decisive,
          await dead(third.answer.body.access_token, "The owner's access token"),
        ],
        decisive,
        after: "A token that comes back after its successor was used is stolen: the whole family was revoked.",
      }
    },
  },
  {
    id: "forge-token",
    title: "Forge the access token",
    text: "Change who the access token is about, and keep its signature.",
    run: async () => {
      const [header, payload, signature] = kept.tokens.access_token.split(".")
      const claims = JSON.parse(atob(payload.replaceAll("-", "+").replaceAll("_", "/")))
      const forged = btoa(JSON.stringify({ ...claims, sub: "administrator" }))
        .replaceAll("+", "-")
        .replaceAll("/", "_")
        .replace(/=+$/, "")
      const call = await callOf(
        "attack",
        "Userinfo with the forged token",
        "Accepted.",
        await userinfoWith(`${header}.${forged}.${signature}`),
      )
      return single(call, "The signature no longer fits what it signs.")
    },
  },
]

/** Runs an attack: its calls, and the rule that refused it. */
export const runAttack = async (attack, fresh) => {
  const { calls, decisive, after } = await attack.run(fresh)
  const verdict = decisive.status === "refused" ? verdictOf(decisive.trails) : undefined
  return { calls, verdict, answer: decisive.badge, after: verdict === undefined ? undefined : after }
}
