import { ask, asking, deliver, locatorOf, poll } from "../support/asking.ts"
import { authorize, signIn, signedIn } from "../support/flows.ts"
import type { Said, Visitor } from "../support/visitor.ts"
import { type World, type WorldOptions, password } from "../support/world.ts"
import { type Case, type Expectation, refused, shown } from "./case.ts"
import { type AtOwnPage, answer, waitingAt } from "./interactions.ts"

const ciba = asking()

/** A provider whose embedder draws the page on which people answer. */
export const ownApprovals: WorldOptions = { ...ciba, more: { ...ciba.more, interactions: { approval: "/own/approval" } } }

/** Comes to the embedder's page of a request, as somebody who is signed in. */
export const atApproval = async (w: World, asked: Said, as?: Visitor): Promise<AtOwnPage> => {
  const visitor = as ?? (await signedIn(w))
  const sent = await visitor.get(`/approve?request=${locatorOf(asked)}`)
  return waitingAt(w, visitor, sent.header("location") ?? "")
}

/** The scopes that a page shows. */
export const scopesOf = ({ state }: AtOwnPage): ReadonlyArray<string> => (state.consent?.scopes ?? []).map(({ name }) => name)

const row = (
  title: string,
  rule: string | undefined,
  run: Case["run"],
  expect: Expectation,
  options: WorldOptions = ownApprovals,
): Case => ({
  title,
  rule,
  options,
  run,
  expect,
})

const answers =
  (given: object | ((at: AtOwnPage) => object), before: (w: World, at: AtOwnPage) => Promise<unknown> | void = () => undefined) =>
  async (w: World): Promise<Said> => {
    const at = await atApproval(w, await ask(w))
    await before(w, at)
    return answer(w, at, typeof given === "function" ? given(at) : given)
  }

/** Has somebody else sign in where a person is signed in already. */
const answersLogin = async (visitor: Visitor, username: string): Promise<Said> =>
  visitor.submit((await authorize(visitor, "web", { prompt: "login" })).page, [
    ["username", username],
    ["password", password],
  ])

const all = (at: AtOwnPage): object => ({ consent: { scopes: scopesOf(at) } })
const polls =
  (given: (at: AtOwnPage) => object) =>
  async (w: World): Promise<Said> => {
    const request = await ask(w)
    const at = await atApproval(w, request)
    await answer(w, at, given(at))
    return poll(w, request)
  }

const done = (outcome: string): Expectation => ({ status: 303, to: "/own/approval", params: { done: outcome } })
const wrong = shown("request_invalid", "invalid_request")
const finished = shown("interaction_finished", "invalid_request")

/** The page on which people answer backchannel requests, drawn by the embedder: CIBA Core §8. */
export const cases: ReadonlyArray<Case> = [
  row(
    "CIBA Core §8: an embedder's page is told who asks, for what, and the message",
    undefined,
    async (w) => {
      const { state, visitor } = await atApproval(w, await ask(w))
      const { need, approval, client, person, consent } = state
      const json = { need, approval, client: client?.name, person: person?.username, scopes: consent?.scopes.map(({ name }) => name) }
      return { ...(await visitor.get("/.well-known/openid-configuration")), json }
    },
    {
      status: 200,
      json: {
        need: "approval",
        approval: { bindingMessage: "W4SCT", others: 0 },
        client: "Till",
        person: "alice",
        scopes: ["openid", "email"],
      },
    },
  ),
  row("CIBA Core §8: an answer of the embedder's page that allows it leads back there", undefined, answers(all), done("approved")),
  row("CIBA Core §8: and so does one that denies it", undefined, answers({ deny: true }), done("denied")),
  row(
    "CIBA Core §8: an access_denied of the page ends it as a denial does",
    undefined,
    answers({ error: { error: "access_denied" } }),
    done("denied"),
  ),
  row("CIBA Core §12: any other error ends it as failed", undefined, answers({ error: { error: "server_error" } }), done("failed")),
  row(
    "CIBA Core §11: what failed there gives access_denied, with the words of the page",
    "ciba-grant.not-failed",
    polls(() => ({ error: { error: "unmet_authentication_requirements", description: "No second factor." } })),
    refused("access_denied", "No second factor."),
  ),
  row(
    "CIBA Core §12: a client whose results are pushed is sent the error",
    undefined,
    async (w) => {
      const at = await atApproval(w, await ask(w, "pushed"))
      const last = await answer(w, at, { error: { error: "temporarily_unavailable" } })
      const [first] = (await deliver(w)).received
      return { ...last, json: { error: first?.body["error"], description: first?.body["error_description"] } }
    },
    { ...done("failed"), json: { error: "transaction_failed", description: "The sign-in was not completed." } },
  ),
  row(
    "RFC 9449 §5.2: nothing is pushed to a client whose tokens must be bound since it asked",
    "approval.push-unbound",
    async (w) => {
      const at = await atApproval(w, await ask(w, "pushed"))
      const known = w.clients.get("pushed")
      if (known !== undefined) w.clients.set("pushed", { ...known, members: { ...known.members, dpop_bound_access_tokens: true } })
      const last = await answer(w, at, all(at))
      return { ...last, json: { pushed: (await deliver(w)).received.length } }
    },
    { status: 400, json: { pushed: 0 } },
  ),
  row("CIBA Core §10.1: what was allowed there gives tokens", undefined, polls(all), { status: 200, json: { scope: "openid email" } }),
  row(
    "CIBA Core §11: what was denied there gives none",
    "ciba-grant.not-denied",
    polls(() => ({ deny: true })),
    refused("access_denied", "The person did not allow it."),
  ),
  row(
    "CIBA Core §8: where nothing waits, the embedder's page is told",
    "approval.request-own",
    async (w) => {
      const visitor = w.visitor()
      await signIn(visitor)
      return visitor.get("/approve")
    },
    done("none"),
  ),
  row(
    "CIBA Core §8: whoever opens the page of requests signs in on the embedder's page first, and comes back to those that wait",
    undefined,
    async (w) => {
      await ask(w)
      const visitor = w.visitor()
      const at = await waitingAt(w, visitor, (await visitor.get("/approve")).header("location") ?? "")
      const back = await answer(w, at, { signIn: { subject: "sub-alice" } })
      const sent = await visitor.get(back.header("location") ?? "")
      const { state } = await waitingAt(w, visitor, sent.header("location") ?? "")
      return { ...sent, json: { need: at.state.need, client: at.state.client?.name, next: state.need, of: state.client?.name } }
    },
    { status: 303, to: "/own/approval", json: { need: "sign_in", client: undefined, next: "approval", of: "Till" } },
    { ...ownApprovals, more: { ...ownApprovals.more, interactions: { signIn: "/own/sign-in", approval: "/own/approval" } } },
  ),
  row(
    "RFC 6749 §10.12: an answer without the token of this browser and session is refused",
    "interaction.csrf",
    answers((at) => ({ ...all(at), csrf: "of another" })),
    shown("form_stale", "invalid_request"),
  ),
  row(
    "OpenID Connect Core §3.1.2.4: no more is allowed than was asked for",
    "interaction.consent-asked",
    answers((at) => ({ consent: { scopes: [...scopesOf(at), "api.read"] } })),
    wrong,
  ),
  row(
    "CIBA Core §8: a request is allowed all that it asks for, or nothing",
    "interaction.consent-whole",
    answers({ consent: { scopes: ["openid"] } }),
    wrong,
  ),
  row(
    "CIBA Core §8: nobody answers what is asked of somebody else, in the same browser either",
    "approval.request-own",
    async (w) => {
      const request = await ask(w)
      const at = await atApproval(w, request)
      await answersLogin(at.visitor, "bob")
      const other = await atApproval(w, await ask(w, "till", { login_hint: "sub-bob" }), at.visitor)
      return answer(w, at, { ...all(at), csrf: other.state.csrf })
    },
    finished,
  ),
  row(
    "CIBA Core §8: a request is answered once",
    "approval.request-undecided",
    answers(all, (w, at) => answer(w, at, { deny: true })),
    finished,
  ),
  row(
    "CIBA Core §7.3: a request that has ended is not answered",
    "interaction.fresh",
    answers(all, (w) => w.pass(300)),
    shown("interaction_expired", "invalid_request"),
  ),
  row(
    "CIBA Core §8: a client that was disabled meanwhile gets nothing",
    "approval.client",
    answers(all, (w) => {
      const known = w.clients.get("till")
      if (known !== undefined) w.clients.set("till", { ...known, disabled: true })
    }),
    finished,
  ),
]
