import type { InteractionAnswer, InteractionState } from "../model/index.ts"
import type { PageCall } from "../ports/index.ts"
import type { Endpoint } from "../settle/endpoint.ts"
import type { Inquiry } from "../settle/request.ts"
import type { Answer, Caller, Message } from "../wire/index.ts"

/** Resumes a waiting request, from a web-standard request or from a message of any other kind of server. */
export interface Resume {
  (request: Request, answer: InteractionAnswer, caller?: Caller): Promise<Response>
  (message: Message, answer: InteractionAnswer, caller?: Caller): Promise<Answer>
}

/** The two functions for an embedder's own pages. */
export interface OwnWay {
  /** Reports what a waiting request needs from its person. */
  readonly interaction: (request: Request | Message, caller?: Caller) => Promise<InteractionState>
  /** Resumes a waiting request. */
  readonly resume: Resume
}

/** An answer and the request that it was given to, which is undefined if the request could not even be started. */
export interface AnsweredCall {
  /** The answer. */
  readonly answer: Answer
  /** The request. */
  readonly inquiry: Inquiry | undefined
}

/** The part of a provider that answers the calls of an embedder's page. */
export interface PageCalls {
  /** Answers a call through an endpoint that has no path, for a browser or in JSON. */
  readonly answer: (endpoint: Endpoint, message: Message, call: PageCall, form: "browser" | "json") => Promise<AnsweredCall>
  /** The languages for a page, best first. */
  readonly locales: (message: Message, inquiry: Inquiry) => ReadonlyArray<string>
  /** Receives the error of a request that cannot be read. */
  readonly unread: (fault: unknown) => void
}
