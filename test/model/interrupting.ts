import type { ClientMetadata } from "@postern/core"
import { interactionOf, post, redeem, request, signedIn } from "../support/flows.ts"
import type { Said, Visitor } from "../support/visitor.ts"
import { password } from "../support/world.ts"
import { type StoreSubject, worldsOn } from "./actor.ts"

/** A request that a browser, or a client, sends. */
export type Act = (typeof acts)[number]

/** Everything that is sent, by a browser that waits on its consent page, the same person's other browser, or a client. */
export const acts = [
  "allow",
  "allow less",
  "deny",
  "resume",
  "ask",
  "ask silently",
  "ask by a pushed request",
  "show the consent page",
  "show the sign-in page",
  "sign in",
  "sign in elsewhere",
  "sign out",
  "end the session from elsewhere",
  "withdraw",
  "withdraw from the device",
  "show the device",
  "approve the device",
  "deny the device",
  "poll",
] as const

/** Results of everything that was sent, and the state that can be seen afterwards. */
export interface Came {
  readonly answers: ReadonlyArray<string>
  readonly afterwards: string
}

/** One request that others come between, each before a call that it makes of its store. */
export interface Interrupted {
  readonly before: ReadonlyArray<Act>
  readonly act: Act
  readonly others: ReadonlyArray<Act>
}

const secret = (client_id: string) => ({ client_id, client_secret: `secret of ${client_id}` })

const clients: ReadonlyArray<ClientMetadata> = [
  {
    ...secret("asks"),
    grant_types: ["authorization_code"],
    redirect_uris: ["https://app.example/cb"],
    scope: "openid profile",
    require_consent: true,
  },
  {
    ...secret("screen"),
    grant_types: ["urn:ietf:params:oauth:grant-type:device_code"],
    response_types: [],
    scope: "openid",
  },
]

const scope = "openid profile"

/** Reads the content of an answer for its receiver; random values are left out. */
const told = ({ status, to, params, page, json }: Said): string => {
  const { error, problem } = params
  const shown = page === undefined ? [] : [page["_tag"], page["problem"], page["trouble"], page["approved"]]
  const words = [status, to, params["code"] === undefined ? undefined : "code", error, problem, ...shown, json?.["error"], json?.["scope"]]
  return words
    .filter((word) => word !== undefined)
    .map(String)
    .join(" ")
}

/** Operation between two calls of a store. */
interface Pause {
  hook: (() => Promise<void>) | undefined
}

const paused =
  (pause: Pause) =>
  <Store extends object>(store: Store): Store =>
    // Each call goes on to the same call of the store; only the pause before it is new.
    Object.fromEntries(
      Object.entries(store).map(([name, call]: readonly [string, (...args: ReadonlyArray<unknown>) => unknown]) => [
        name,
        typeof call !== "function"
          ? call
          : async (...args: ReadonlyArray<unknown>) => {
              await pause.hook?.()
              return call(...args)
            },
      ]),
    ) as Store

/** A world in which everything has been begun, and nothing is answered. */
const begin = async (subject: StoreSubject, pause: Pause) => {
  const { world } = worldsOn(subject, clients, paused(pause))
  const browser = await signedIn(world)
  const elsewhere = await signedIn(world)
  const asked = await browser.get("/connect/authorize", request("asks", { scope }))
  const { page: consent } = await browser.get(asked.header("location") ?? "")
  const interaction = interactionOf({ page: consent } as Said)
  const { page: login } = await browser.get("/login", { interaction, another: "1" })
  const { page: logout } = await browser.get("/logout")
  const { page: otherLogin } = await elsewhere.get("/login", { another: "1" })
  const pushed = await post(world, "/connect/par", "asks", request("asks", { client_id: undefined, scope }))
  const device = (await post(world, "/connect/deviceauthorization", "screen", {})).json
  const userCode = String(device?.["user_code"])
  const { page: confirm } = await browser.get("/device", { user_code: userCode })
  const { page: home } = await elsewhere.get("/")
  const sessions = home?.["sessions"] as ReadonlyArray<{ readonly id: string; readonly current: boolean }>
  const mine = sessions.find(({ current }) => !current)?.id ?? ""
  const poll = (): Promise<Said> =>
    post(world, "/connect/token", "screen", {
      grant_type: "urn:ietf:params:oauth:grant-type:device_code",
      device_code: String(device?.["device_code"]),
    })
  /** The browser as it was when it sent whatever it sends: with the cookies of then. */
  const copyOf = (of: Visitor): Visitor => {
    const copy = world.visitor()
    for (const [name, value] of of.cookies) copy.cookies.set(name, value)
    return copy
  }
  const here = copyOf(browser)
  const there = copyOf(elsewhere)
  const credentials = [
    ["username", "alice"],
    ["password", password],
  ] as const

  const sent: Readonly<Record<Act, () => Promise<Said>>> = {
    allow: () =>
      copyOf(here).submit(consent, [
        ["decision", "allow"],
        ["scope", "openid"],
        ["scope", "profile"],
      ]),
    "allow less": () =>
      copyOf(here).submit(consent, [
        ["decision", "allow"],
        ["scope", "openid"],
      ]),
    deny: () => copyOf(here).submit(consent, [["decision", "deny"]]),
    resume: () => copyOf(here).get("/connect/authorize/resume", { interaction }),
    ask: () => copyOf(here).get("/connect/authorize", request("asks", { scope })),
    "ask silently": () => copyOf(here).get("/connect/authorize", request("asks", { scope, prompt: "none" })),
    "ask by a pushed request": () =>
      copyOf(here).get("/connect/authorize", { client_id: "asks", request_uri: String(pushed.json?.["request_uri"]) }),
    "show the consent page": () => copyOf(here).get("/consent", { interaction }),
    "show the sign-in page": () => copyOf(here).get("/login", { interaction }),
    "sign in": () => copyOf(here).submit(login, credentials),
    "sign in elsewhere": () => copyOf(there).submit(otherLogin, credentials),
    "sign out": () => copyOf(here).submit(logout),
    "end the session from elsewhere": () => copyOf(there).submit(home, [["session", mine]], "endSession"),
    withdraw: () => copyOf(there).submit(home, [["client_id", "asks"]], "withdrawConsent"),
    "withdraw from the device": () => copyOf(there).submit(home, [["client_id", "screen"]], "withdrawConsent"),
    "show the device": () => copyOf(here).get("/device", { user_code: userCode }),
    "approve the device": () => copyOf(here).submit(confirm, [["decision", "allow"]]),
    "deny the device": () => copyOf(here).submit(confirm, [["decision", "deny"]]),
    poll,
  }

  const codes: Array<string> = []
  const perform = async (act: Act): Promise<string> => {
    const answer = await sent[act]()
    if (answer.params["code"] !== undefined) codes.push(answer.params["code"])
    return told(answer)
  }
  /** Looks at every row: in the browser, on the home page, at the token endpoint. */
  const look = async (): Promise<string> => {
    const { page: seen } = await copyOf(there).get("/")
    const remembered = (seen?.["consents"] ?? []) as ReadonlyArray<{ readonly scopes: ReadonlyArray<{ readonly name: string }> }>
    const redeemed: Array<string> = []
    for (const code of codes) redeemed.push(told(await redeem(world, code, "asks")))
    const resumed = told(await sent.resume())
    const again = told(await sent["ask by a pushed request"]())
    world.pass(60)
    return JSON.stringify({
      remembered: remembered.map(({ scopes }) => scopes.map(({ name }) => name).toSorted()),
      sessions: (seen?.["sessions"] as ReadonlyArray<unknown> | undefined)?.length,
      redeemed: redeemed.toSorted(),
      resumed,
      again,
      polled: told(await poll()),
    })
  }
  return { perform, look }
}

/** Sends everything in a row; the act at a place of its own among the others. */
export const inRow = async (subject: StoreSubject, { before, act, others }: Interrupted, at: number): Promise<Came> => {
  const { perform, look } = await begin(subject, { hook: undefined })
  for (const each of before) await perform(each)
  const answers: Array<string> = []
  for (const each of others.slice(0, at)) answers.push(await perform(each))
  const own = await perform(act)
  for (const each of others.slice(at)) answers.push(await perform(each))
  return { answers: [own, ...answers], afterwards: await look() }
}

/** Sends the act, and each of the others whole, before the call of the store whose number is its place. Returns the number of calls as well. */
export const interrupted = async (
  subject: StoreSubject,
  { before, act, others }: Interrupted,
  places: ReadonlyArray<number>,
): Promise<Came & { readonly calls: number }> => {
  const pause: Pause = { hook: undefined }
  const { perform, look } = await begin(subject, pause)
  for (const each of before) await perform(each)
  const answers: Array<string> = []
  let calls = 0
  /** One after the other: of calls that go out together each waits for those who come between before it. */
  let turn = Promise.resolve()
  const between = async (call: number): Promise<void> => {
    while (answers.length < others.length && (places[answers.length] ?? 0) <= call) {
      const { hook } = pause
      pause.hook = undefined
      answers.push(await perform(others[answers.length] as Act))
      pause.hook = hook
    }
  }
  pause.hook = () => {
    const call = calls++
    turn = turn.then(() => between(call))
    return turn
  }
  const own = await perform(act)
  pause.hook = undefined
  for (const each of others.slice(answers.length)) answers.push(await perform(each))
  return { answers: [own, ...answers], afterwards: await look(), calls }
}
