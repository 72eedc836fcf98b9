import type { InteractionAnswer, InteractionState } from "../model/index.ts"
import type { PageCall } from "../ports/index.ts"
import type { Endpoint } from "../settle/endpoint.ts"
import type { Inquiry } from "../settle/request.ts"
import type { Answer, Caller, Message } from "../wire/index.ts"

/** Goes on with a waiting request: with a web-standard request, or with a message of any other kind of server. */
export interface Resume {
  (request: Request, answer: InteractionAnswer, caller?: Caller): Promise<Response>
  (message: Message, answer: InteractionAnswer, caller?: Caller): Promise<Answer>
}

/** The two functions for pages of an embedder's own. */
export interface OwnWay {
  /** Tells what a waiting request needs of its person. */
  readonly interaction: (request: Request | Message, caller?: Caller) => Promise<InteractionState>
  /** Goes on with it. */
  readonly resume: Resume
}

/** An answer, and the request that it was given to; undefined where not even that could be begun. */
export interface AnsweredCall {
  /** The answer. */
  readonly answer: Answer
  /** The request. */
  readonly inquiry: Inquiry | undefined
}

/** The part of a provider that answers the calls of an embedder's page. */
export interface PageCalls {
  /** Answers a call by an endpoint that no path leads to, for a browser or in JSON. */
  readonly answer: (endpoint: Endpoint, message: Message, call: PageCall, form: "browser" | "json") => Promise<AnsweredCall>
  /** The languages of a page, best first. */
  readonly locales: (message: Message, inquiry: Inquiry) => ReadonlyArray<string>
  /** Receives the fault of a request that cannot be read. */
  readonly unread: (fault: unknown) => void
}
