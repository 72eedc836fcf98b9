import type { Provider } from "@postern/core"
import type { OutboundPort } from "@postern/core/ports"
import type { Answer, Message } from "@postern/core/wire"
import { objectOf, textOf } from "../exchange/exchange.ts"
import { type Choosing, faultHeader, unknownFault } from "./choice.ts"
import { deliver } from "./delivery.ts"
import type { Forge } from "./forge.ts"
import { type Ledger, control } from "./ledger.ts"
import type { Delivered, Kept, Misbehavior, Outcome, Stage, Step } from "./misbehavior.ts"
import { openNotices } from "./notices.ts"
import { plantedToken } from "./ofNotices.ts"
import { plantedAnswer, resourceAnswer } from "./planted.ts"
import { bearerOf, clientIn, nameIn, nonceOf, parametersOf, stepOf } from "./requests.ts"
import { contentOf, returnedBy } from "./response.ts"
import { type SignIn, SignIns } from "./signIns.ts"
import type { Seen } from "./verdict.ts"

/** The members of a client by which its responses are recognized. */
export interface KnownClient {
  readonly client_id: string
  readonly redirect_uris: ReadonlyArray<string>
  readonly post_logout_redirect_uris?: ReadonlyArray<string> | undefined
  readonly backchannel_logout_uri?: string | undefined
}

/** The parts of a misbehaving provider. */
export interface Parts {
  readonly provider: Pick<Provider, "handle">
  readonly issuer: string
  /** Another issuer, which behaves correctly. */
  readonly other: string
  /** The base address of planted paths without TLS; undefined if the provider has none. */
  readonly plain: string | undefined
  readonly forge: Forge
  readonly clients: ReadonlyArray<KnownClient>
  readonly ledger: Ledger
  /** This issuer's misbehavior for a request; undefined for the right behavior. */
  readonly chosen: (asked: Choosing) => Misbehavior | undefined
  /** The id of a requested fault that is not offered. */
  readonly missing: (asked: Pick<Choosing, "acr" | "header">) => string | undefined
  /** The script's misbehavior for a response to a client. */
  readonly scripted: (on: Stage, client: string) => Misbehavior | undefined
  /** Receives each correct ID token of a client. */
  readonly onIdToken: (client: string, jwt: string) => void
  /** Milliseconds of delay of slow responses. */
  readonly patience: number
  /** Seconds since 1970. */
  readonly now: () => number
}

/** A provider that misbehaves. */
export interface MisbehavingProvider {
  readonly handle: Provider["handle"]
  /** Sends the provider's notices of CIBA results to clients, changed by the misbehavior. */
  readonly post: NonNullable<OutboundPort["post"]>
}

/** The client that receives a response; undefined if none does. */
const receiverOf = (answer: Answer, step: Step | undefined, clients: ReadonlyArray<KnownClient>, latest: string | undefined) => {
  const to = returnedBy(answer)?.to
  const uris = ({ redirect_uris, post_logout_redirect_uris = [] }: KnownClient) =>
    step === "signed-out" ? post_logout_redirect_uris : redirect_uris
  const theirs = to === undefined ? [] : clients.filter((each) => uris(each).some((uri) => to.startsWith(uri)))
  return (theirs.find(({ client_id }) => client_id === latest) ?? theirs[0])?.client_id
}

/** The response to a request for a fault that is not offered. A misspelled id would otherwise be ignored, or choose another fault. */
const notOnOffer = (id: string): Answer => ({
  status: 400,
  headers: [
    ["content-type", "text/plain; charset=utf-8"],
    ["x-content-type-options", "nosniff"],
    ["cache-control", "no-store"],
  ],
  body: `${unknownFault(id)}\n`,
})

const again: Partial<Record<Step, Step>> = { token: "token again", refresh: "refresh again", userinfo: "userinfo again" }

/** A request with the parts that were recognized. */
interface Asked {
  readonly message: Message
  readonly form: URLSearchParams
  readonly step: Step | undefined
  readonly signIn: SignIn | undefined
  readonly client: string | undefined
}

/** Handles a request as a correct provider does, then applies the selected misbehavior. Every request is recorded in the ledger. */
export const misbehaving = (parts: Parts): MisbehavingProvider => {
  const { provider, issuer, other, plain, forge, clients, ledger, chosen, missing, scripted, onIdToken, patience, now } = parts
  const signIns = new SignIns()
  const kept = new Map<string, Kept>()
  const pushed = new Map<string, URLSearchParams>()
  /** Faults of single responses within a sign-in. The client's next requests count for them too. */
  const touched = new WeakMap<SignIn, Set<string>>()
  const { pathname } = new URL(issuer)
  const base = pathname === "/" ? "" : pathname
  const planted = `${issuer}/planted`

  const read = (message: Message): Asked => {
    const form = parametersOf(message)
    const step = stepOf(message, form)
    const asked = pushed.get(form.get("request_uri") ?? "") ?? form
    const client = clientIn(message, asked)
    if ((step === "authorize" || step === "device" || step === "ciba") && client !== undefined) {
      const acr = asked.get("acr_values") ?? undefined
      const misbehavior = chosen({ client, acr, header: message.headers[faultHeader], begins: true })
      const signIn = { client, asked, misbehavior }
      signIns.begin(signIn)
      return { message, form, step, signIn, client }
    }
    // A request for the keys identifies no client. It is attributed to the latest sign-in.
    const signIn = step === "keys" ? signIns.latest() : signIns.of(nameIn(step, message, form) ?? "")
    return { message, form, step, signIn, client: client ?? signIn?.client }
  }

  /** Remembers the values in the correct response that the client's next requests may name. */
  const remember = (answer: Answer, { step, message, form }: Asked, signIn: SignIn | undefined): void => {
    const found = returnedBy(answer)
    const returned = found && contentOf(found, forge)
    const body = step === undefined || message.path.includes("/.well-known/") ? undefined : objectOf(answer.body)
    const named = (kind: string, name: string): void => {
      const value = returned?.get(name) ?? textOf(body?.[name])
      if (value !== "") signIns.name(`${kind} ${value}`, signIn)
    }
    named("code", "code")
    named("access", "access_token")
    named("refresh", "refresh_token")
    named("identity", "id_token")
    named("asked", "device_code")
    named("asked", "auth_req_id")
    const idToken = textOf(body?.["id_token"])
    if (idToken !== "" && signIn !== undefined) onIdToken(signIn.client, idToken)
    if (message.path.endsWith("/connect/par")) {
      const uri = textOf(objectOf(answer.body)?.["request_uri"])
      if (uri !== "") pushed.set(uri, form)
    }
  }

  const atPlanted = (message: Message): Answer => {
    const form = parametersOf(message)
    const { answer, fellFor } = plantedAnswer(message.path, planted, forge, clientIn(message, form))
    const latest = signIns.latest()
    const id = (latest?.misbehavior ?? chosen({}))?.id ?? control
    if (fellFor) ledger.add(id, latest?.client, { kind: "asked", step: "planted", delivered: undefined })
    return answer
  }

  const changed = async (
    misbehavior: Misbehavior,
    stage: Stage,
    answer: Answer,
    { form, message }: Pick<Asked, "form"> & { readonly message: Pick<Message, "headers"> },
    signIn: SignIn | undefined,
    client: string,
  ) => {
    const key = `${misbehavior.id}\n${client}`
    const asked = signIn?.asked ?? new URLSearchParams()
    const nonce = nonceOf(message)
    const places = { issuer, other, planted, plain }
    const change = { answer, ...places, forge, sent: form, nonce, asked, kept: kept.get(key) ?? {}, client, now: now() }
    const outcome: Outcome = await misbehavior.transform[stage]?.(change)
    if (outcome === undefined) return undefined
    if (!("answer" in outcome)) return { answer: outcome } satisfies Delivered
    if (outcome.keep !== undefined) kept.set(key, { ...kept.get(key), ...outcome.keep })
    return outcome
  }

  /** Attributes the client's next requests in a sign-in to the fault of one response too. */
  const touch = (signIn: SignIn, id: string): void => void touched.set(signIn, new Set([...(touched.get(signIn) ?? []), id]))

  const post = openNotices({
    signIns,
    ledger,
    scripted,
    patience,
    touch,
    changed: (misbehavior, right, signIn) =>
      changed(misbehavior, "notice", right, { form: new URLSearchParams(), message: { headers: {} } }, signIn, signIn.client),
  })

  const handle: Provider["handle"] = async (message) => {
    if (message.path.startsWith(`${base}/planted/`)) return atPlanted(message)
    const lost = missing({ header: message.headers[faultHeader], acr: parametersOf(message).get("acr_values") ?? undefined })
    if (lost !== undefined) return notOnOffer(lost)
    const asked = read(message)
    const resource = resourceAnswer(message.path, issuer, bearerOf(message, asked.form))
    const right = resource ?? (await provider.handle(message))
    const step: Step | undefined = resource === undefined ? asked.step : resource.body.includes('"read"') ? "userinfo" : "resource"
    const receiver = resource === undefined ? receiverOf(right, step, clients, signIns.latest()?.client) : undefined
    const returned = returnedBy(right)
    const state = (returned && contentOf(returned, forge).get("state")) ?? null
    const signIn = receiver === undefined || step === "signed-out" ? asked.signIn : signIns.returning(receiver, state)
    remember(right, asked, signIn)
    const client = receiver ?? asked.client ?? signIn?.client
    const stage = receiver === undefined ? stageOf(step) : step === "signed-out" ? "signed-out" : "authorization"
    const whose = client ?? signIns.latest()?.client ?? ""
    const header = message.headers[faultHeader]
    const script = stage === undefined ? undefined : scripted(stage, whose)
    const misbehavior = script ?? (header !== undefined || signIn === undefined ? chosen({ client, header }) : signIn.misbehavior)
    const outcome: Delivered | undefined =
      misbehavior === undefined || stage === undefined ? undefined : await changed(misbehavior, stage, right, asked, signIn, whose)
    const id = misbehavior?.id ?? control
    const delivered = outcome === undefined || "unchanged" in outcome ? undefined : stage
    const note = (what: Seen): void => {
      const followed = signIn === undefined ? undefined : touched.get(signIn)
      for (const each of followed ?? [])
        if (each !== id) ledger.add(each, client, { ...what, ...("delivered" in what ? { delivered: undefined } : {}) })
      ledger.add(id, client, what)
    }
    if (step !== undefined) {
      const name = nameIn(step, message, asked.form)
      const isPlanted = step === "userinfo" && bearerOf(message, asked.form)?.startsWith(plantedToken) === true
      const seen = isPlanted
        ? "planted"
        : step !== "poll" && step !== "id-jag" && name !== undefined && signIns.spend(name)
          ? (again[step] ?? step)
          : step
      note({ kind: "asked", step: seen, delivered: receiver === undefined ? delivered : undefined, at: Date.now() })
    }
    if (receiver !== undefined) note({ kind: "sent back", delivered })
    if (delivered !== undefined && signIn !== undefined && misbehavior !== signIn.misbehavior) touch(signIn, id)
    if (outcome !== undefined && "delivery" in outcome && (await deliver(outcome.delivery, patience)))
      ledger.add(id, client, { kind: "left" })
    return outcome?.answer ?? right
  }
  return { handle, post }
}

/** The stage of the response to a request; undefined if no fault changes that response. */
const stageOf = (step: Step | undefined): Stage | undefined =>
  step === undefined || step === "planted" || step === "signed-out" || step.endsWith(" again") ? undefined : (step as Stage)
