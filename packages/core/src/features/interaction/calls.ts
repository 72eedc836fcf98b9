import {
  type InteractionAnswer,
  type InteractionState,
  type JsonObject,
  type RefusedInteraction,
  type WaitingInteraction,
  parseJsonObject,
} from "../../model/index.ts"
import { spell } from "../../rules/rule.ts"
import { type Answer, type Caller, type Message, readParams, requestIdHeader, toResponse, writeParams } from "../../wire/index.ts"
import type { AnsweredCall, OwnWay, PageCalls, Resume } from "../ownPages.ts"
import { interaction, resumeInteraction } from "./index.ts"

const isWeb = (request: Request | Message): request is Request => typeof request.headers["get"] === "function"

/** Replaces an unreadable request. It has no cookie and no handle, so that the rules refuse it. */
const unreadable: Message = { method: "POST", path: "/interaction", query: "", headers: {}, body: "", address: undefined }

/** A request of an embedder's page, as far as it can be read. */
interface Given {
  readonly message: Message
  /** True for a web-standard request, which is answered by a web-standard response. */
  readonly web: boolean
  /** The error of a request that could not be read. */
  readonly fault?: unknown
}

/** Reads a request from arbitrary code. An unreadable one does not throw; the rules refuse it. */
const givenBy = (request: Request | Message, caller: Caller | undefined, stated: unknown): Given => {
  try {
    return { message: messageOf(request, caller, stated), web: isWeb(request) }
  } catch (fault) {
    return { message: unreadable, web: false, fault }
  }
}

/** Reads the browser's cookies and the handle from a request. Its body belongs to the embedder. */
const messageOf = (request: Request | Message, caller: Caller | undefined, stated: unknown): Message => {
  const query = isWeb(request) ? new URL(request.url).search.slice(1) : request.query
  const handle = typeof stated === "string" ? stated : readParams(query).one("interaction")
  const address: unknown = caller?.address ?? (isWeb(request) ? undefined : request.address)
  return {
    method: String(request.method),
    path: "/interaction",
    query: writeParams(handle === undefined ? [] : [["interaction", handle]]),
    headers: isWeb(request) ? Object.fromEntries(request.headers) : request.headers,
    body: "",
    address: typeof address === "string" && address !== "" ? address : undefined,
  }
}

/** The last-resort response of a provider that cannot even report a failure has no body. */
const parsed = (body: string): JsonObject => parseJsonObject(body) ?? {}

const refusedBy = ({ answer, inquiry }: AnsweredCall): RefusedInteraction => {
  const { error, error_description: description, trouble } = parsed(answer.body)
  const last = inquiry?.trace.steps.at(-1)
  const refused = last === undefined || inquiry === undefined ? undefined : spell(inquiry.trace, last).refused
  return {
    need: "refused",
    status: answer.status,
    // The JSON renderer writes both from these same types.
    trouble: trouble as RefusedInteraction["trouble"],
    error: typeof error === "string" ? error : "server_error",
    description: typeof description === "string" ? description : "The provider failed.",
    why: refused && { rule: refused.rule, cites: refused.cites },
    requestId: answer.headers.find(([name]) => name === requestIdHeader)?.[1] ?? "",
  }
}

/**
 * Reports whether a value is plain data that a rule can judge: a tree of texts, numbers, flags, lists without holes and objects. Throws if
 * it is cyclic.
 */
const isData = (value: unknown): boolean => {
  if (Array.isArray(value)) return Object.keys(value).length === value.length && value.every(isData)
  if (typeof value !== "object" || value === null) return typeof value !== "bigint"
  // An object of another realm has another prototype.
  return Object.prototype.toString.call(value) === "[object Object]" && Object.values(value).every(isData)
}

/** Copies an answer, so that it cannot change while rules judge it. An answer that is not plain data becomes an empty one. */
const copied = (answer: unknown): Readonly<Record<string, unknown>> => {
  try {
    const own = typeof answer === "object" && answer !== null ? structuredClone({ ...answer }) : {}
    return isData(own) ? own : {}
  } catch {
    return {}
  }
}

/** Reports whether the caller wants JSON rather than a redirect. */
const wantsJson = ({ headers }: Message): boolean => /\bapplication\/json\b/i.test(headers["accept"] ?? "")

/** Makes the functions for an embedder's own pages. */
export const ownWay = (calls: PageCalls): OwnWay => {
  const read = (request: Request | Message, caller: Caller | undefined, stated: unknown): Given => {
    const given = givenBy(request, caller, stated)
    if (given.fault !== undefined) calls.unread(given.fault)
    return given
  }
  const look = async (request: Request | Message, caller?: Caller): Promise<InteractionState> => {
    const { message } = read(request, caller, undefined)
    // Looking up only reads, whatever the method of the page's own request.
    const told = await calls.answer(interaction, { ...message, method: "GET" }, { _tag: "Interaction" }, "json")
    const { answer, inquiry } = told
    if (answer.status !== 200 || inquiry === undefined) return refusedBy(told)
    const body = parsed(answer.body)
    // A response that redirects to the client needs nothing from the person.
    if (!("need" in body)) return refusedBy({ answer: { ...answer, status: 400 }, inquiry })
    const { requestId } = inquiry
    // `toldWaiting` writes it from this same type.
    return { ...(body as unknown as WaitingInteraction), locales: calls.locales(message, inquiry), requestId }
  }
  const resumed = async (request: Request | Message, answer: InteractionAnswer, caller?: Caller): Promise<Response | Answer> => {
    const given = copied(answer)
    const { message, web } = read(request, caller, given["interaction"])
    const json = wantsJson(message)
    const by = resumeInteraction(given, json ? "programs" : "people")
    const told = await calls.answer(by, message, { _tag: "Resume", answer: given }, json ? "json" : "browser")
    return web ? toResponse(told.answer, message.method) : told.answer
  }
  // The overloads state which of the two is returned; the function responds in the form in which it was called.
  return { interaction: look, resume: resumed as Resume }
}
