import { authorize, claimsOf, codeFor, post, redeem, refresh, signedIn, token, tokensFor, userinfo } from "../support/flows.ts"
import { type World, world } from "../support/world.ts"

/** A jump of the clock, and what is asked of the provider around it. */
export interface Jump {
  readonly name: string
  readonly seconds: number
}

const hour = 3600

export const jumps: ReadonlyArray<Jump> = [
  { name: "+1 h", seconds: hour },
  { name: "-1 h", seconds: -hour },
  { name: "+10 y", seconds: 10 * 365 * 24 * hour },
  { name: "-10 y", seconds: -10 * 365 * 24 * hour },
]

const deviceGrant = "urn:ietf:params:oauth:grant-type:device_code"

/** Finds the faults that a jump of the clock caused, in words; empty when there is none. */
export const afterJump = async ({ name, seconds }: Jump): Promise<ReadonlyArray<string>> => {
  const w = await world()
  const broken: Array<string> = []
  const expect = (what: string, holds: boolean, said: unknown): void => {
    if (!holds) broken.push(`${name}: ${what}: ${JSON.stringify(said)}`)
  }
  const ahead = seconds > 0
  const visitor = await signedIn(w)
  const code = await codeFor(w)
  const used = await codeFor(w)
  await redeem(w, used)
  const tokens = await tokensFor(w, "opaque")
  const rotated = await tokensFor(w)
  const next = (await refresh(w, rotated.refresh_token)).json ?? {}
  await refresh(w, String(next["refresh_token"]))
  const ended = await tokensFor(w, "opaque")
  await post(w, "/connect/revocation", "opaque", { token: ended.refresh_token })
  const device = await post(w, "/connect/deviceauthorization", "tv", {})
  const poll = () => token(w, "tv", { grant_type: deviceGrant, device_code: String(device.json?.["device_code"]) })
  await poll()

  w.pass(seconds)
  const spent = await redeem(w, used)
  expect("a spent code is refused", spent.status === 400, spent.json)
  const fresh = await redeem(w, code)
  expect(ahead ? "an expired code is refused" : "a fresh code works", fresh.status === (ahead ? 400 : 200), fresh.json)
  const info = await userinfo(w, tokens.access_token)
  expect(ahead ? "an expired token is refused" : "a live token works", info.status === (ahead ? 401 : 200), info.status)
  const gone = await refresh(w, rotated.refresh_token)
  expect("a rotated token whose successor was used is refused", gone.status === 400, gone.json)
  const dead = await refresh(w, ended.refresh_token, "opaque")
  expect("a revoked token is refused", dead.status === 400, dead.json)
  const again = await refresh(w, tokens.refresh_token, "opaque")
  const outlived = seconds > 30 * 24 * hour
  expect(outlived ? "an expired refresh token is refused" : "a refresh token works", again.status === (outlived ? 400 : 200), again.json)
  const silent = await authorize(visitor, "web", { prompt: "none" })
  expect("a session is live or over", silent.params["code"] !== undefined || silent.params["error"] === "login_required", silent.params)
  // Whoever signs in now gets tokens with sane times.
  const later = await tokensFor(w)
  const claims = claimsOf(later.id_token)
  expect("expires after it was issued", Number(claims["exp"]) > Number(claims["iat"]), claims)
  const issued = (await refresh(w, later.refresh_token)).json ?? {}
  expect("expires_in is positive", Number(issued["expires_in"]) > 0, issued["expires_in"])
  const other = await post(w, "/connect/deviceauthorization", "tv", {})
  expect("a device's expires_in is positive", Number(other.json?.["expires_in"]) > 0, other.json)
  await pollOn(w, poll, expect)

  // And back: what expired must not work again once it was refused or swept.
  w.pass(-seconds)
  const twice = await redeem(w, used)
  expect("back again, a spent code is refused", twice.status === 400, twice.json)
  const back = await refresh(w, ended.refresh_token, "opaque")
  expect("back again, a revoked token is refused", back.status === 400, back.json)
  if (fresh.status === 200) {
    const third = await redeem(w, code)
    expect("back again, a code redeemed meanwhile is refused", third.status === 400, third.json)
  }
  return broken
}

/** A device that polled before the jump hears something else than `slow_down` within a few intervals of its own. */
const pollOn = async (
  w: World,
  poll: () => ReturnType<typeof token>,
  expect: (what: string, holds: boolean, said: unknown) => void,
): Promise<void> => {
  const heard: Array<string> = []
  let interval = 5
  for (let each = 0; each < 4; each++) {
    w.pass(interval)
    const error = String((await poll()).json?.["error"])
    heard.push(error)
    if (error === "slow_down") interval += 5
  }
  expect(
    "polling is not stuck",
    heard.some((error) => error !== "slow_down"),
    heard,
  )
}
