import type { Answer } from "@postern/core/wire"

const json = (status: number, error: string, description: string): Answer => ({
  status,
  headers: [
    ["content-type", "application/json"],
    ["cache-control", "no-store"],
    ["x-content-type-options", "nosniff"],
    ["referrer-policy", "no-referrer"],
  ],
  body: JSON.stringify({ error, error_description: description }),
})

const withRetry = (answer: Answer): Answer => ({ ...answer, headers: [...answer.headers, ["retry-after", "2"]] })

const refusals = {
  /** RFC 9110 §15.5.14. */
  body: json(413, "invalid_request", "The body is too long."),
  /** RFC 9110 §15.5.16. */
  coding: json(415, "invalid_request", "The body must not be compressed."),
  /** RFC 9110 §15.6.4. */
  bodies: withRetry(json(503, "temporarily_unavailable", "Too much is asked at once; nothing was changed. Try again.")),
  /** RFC 9110 §15.5.15. */
  target: json(414, "invalid_request", "The request URL is too long."),
  /** RFC 9110 §15.6.1. */
  failed: json(500, "server_error", "The provider failed."),
}

/** Returns the answer to a request that is not passed to the provider, with the headers of each answer of its endpoint. */
export const refusalFor = (reason: keyof typeof refusals, more: Answer["headers"] = []): Answer => ({
  ...refusals[reason],
  headers: [...refusals[reason].headers, ...more],
})
