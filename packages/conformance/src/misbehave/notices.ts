import type { OutboundBody, OutboundPort } from "@postern/core/ports"
import type { Answer } from "@postern/core/wire"
import { objectOf, textOf } from "../exchange/exchange.ts"
import { type Ledger, control } from "./ledger.ts"
import type { Delivered, Misbehavior, Stage } from "./misbehavior.ts"
import type { SignIn, SignIns } from "./signIns.ts"

/** The members of a notice that identify a sign-in. */
const names = [
  ["asked", "auth_req_id"],
  ["access", "access_token"],
  ["refresh", "refresh_token"],
  ["identity", "id_token"],
] as const

/** Milliseconds within which a client must answer a notice. */
const longest = 10_000

/** The headers and the body of a notice's POST request. */
const noticeOf = ({ contentType, text, authorization }: OutboundBody): Answer => ({
  status: 200,
  headers: [["content-type", contentType], ...(authorization === undefined ? [] : [["authorization", authorization.reveal()] as const])],
  body: text,
})

/** Sends a notice (CIBA Core §10.2, §10.3) and returns the status; undefined if no response came. It follows no redirect. */
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

/** The parts of a misbehaving provider that sending notices needs. */
export interface NoticeParts {
  readonly signIns: SignIns
  readonly ledger: Ledger
  readonly scripted: (on: Stage, client: string) => Misbehavior | undefined
  readonly changed: (misbehavior: Misbehavior, right: Answer, signIn: SignIn) => Promise<Delivered | undefined>
  readonly touch: (signIn: SignIn, id: string) => void
  /** Milliseconds of delay of late notices. */
  readonly patience: number
}

/** Sends the provider's notices of CIBA results to clients, changed by the selected misbehavior. */
export const openNotices = ({ signIns, ledger, scripted, changed, touch, patience }: NoticeParts): NonNullable<OutboundPort["post"]> => {
  /** Remembers the identifiers in a notice, including those of a fault, because the client's next request belongs to the same sign-in. */
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
    // The person who answered does not wait for the client, and the provider does not retry, so that exactly one notice is observed.
    notify(url, noticeOf(body)).catch(() => undefined)
    return { _tag: "Fetched", status: 204, body: "" }
  }
}
