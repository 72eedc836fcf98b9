import type { OutboundBody, OutboundPort } from "@postern/core/ports"
import type { Answer } from "@postern/core/wire"
import { objectOf, textOf } from "../exchange/exchange.ts"
import { type Ledger, control } from "./ledger.ts"
import type { Delivered, Misbehavior, Stage } from "./misbehavior.ts"
import type { SignIn, SignIns } from "./signIns.ts"

/** The names of a sign-in that a notice may have. */
const names = [
  ["asked", "auth_req_id"],
  ["access", "access_token"],
  ["refresh", "refresh_token"],
  ["identity", "id_token"],
] as const

/** Milliseconds within which a client must take a notice. */
const longest = 10_000

/** A notice as it is sent: the headers and the body of a POST. */
const noticeOf = ({ contentType, text, authorization }: OutboundBody): Answer => ({
  status: 200,
  headers: [["content-type", contentType], ...(authorization === undefined ? [] : [["authorization", authorization.reveal()] as const])],
  body: text,
})

/** Sends a notice (CIBA Core §10.2, §10.3); answers with the status, and undefined where nothing came. A redirect is not followed. */
const sendNotice = async (url: string, { headers, body }: Answer): Promise<number | undefined> => {
  const sent = headers.map(([name, value]): [string, string] => [name, value])
  try {
    const answer = await fetch(url, { method: "POST", headers: sent, body, redirect: "manual", signal: AbortSignal.timeout(longest) })
    await answer.body?.cancel()
    return answer.status
  } catch {
    return undefined
  }
}

/** Parts of a misbehaving provider that its notices are sent with. */
export interface NoticeParts {
  readonly signIns: SignIns
  readonly ledger: Ledger
  readonly scripted: (on: Stage, client: string) => Misbehavior | undefined
  readonly changed: (misbehavior: Misbehavior, right: Answer, signIn: SignIn) => Promise<Delivered | undefined>
  readonly touch: (signIn: SignIn, id: string) => void
  /** Milliseconds by which late notices are late. */
  readonly patience: number
}

/** Sends what the right provider sends to clients about results of CIBA requests, changed where that is chosen. */
export const openNotices = ({ signIns, ledger, scripted, changed, touch, patience }: NoticeParts): NonNullable<OutboundPort["post"]> => {
  /** Remembers the names in a notice, also those that a fault has put there: the client's next request is of the same sign-in. */
  const remember = (text: string, signIn: SignIn): void => {
    const found = objectOf(text)
    for (const [kind, name] of names) {
      const value = textOf(found?.[name])
      if (value !== "") signIns.name(`${kind} ${value}`, signIn)
    }
  }

  const notify = async (url: string, right: Answer): Promise<void> => {
    const signIn = signIns.of(`asked ${textOf(objectOf(right.body)?.["auth_req_id"])}`)
    if (signIn === undefined) return void (await sendNotice(url, right))
    const { client } = signIn
    const misbehavior = scripted("notice", client) ?? signIn.misbehavior
    const outcome = misbehavior && (await changed(misbehavior, right, signIn))
    const id = misbehavior?.id ?? control
    const delivered = outcome === undefined || outcome.unchanged === true ? undefined : "notice"
    if (delivered !== undefined && misbehavior !== signIn.misbehavior) touch(signIn, id)
    const { delivery, next = [], answer = right } = outcome ?? {}
    if (delivery === "slow") await new Promise((resolve) => setTimeout(resolve, patience).unref())
    for (const each of [right, answer]) remember(each.body, signIn)
    ledger.add(id, client, { kind: "notified", delivered })
    for (const each of [answer, ...next]) {
      const status = await sendNotice(url, each)
      if (status !== undefined) ledger.add(id, client, { kind: "replied", status })
    }
  }

  return (url, body) => {
    // The person who has answered does not wait for the client, nor does the provider try again: the outcome of one notice is what is seen.
    notify(url, noticeOf(body)).catch(() => undefined)
    return { _tag: "Fetched", status: 204, body: "" }
  }
}
