// The provider's own account of each request, which the demo hands to this page.

/** The trails of one request. */
export const trailsOf = async (requestId) =>
  requestId === undefined ? [] : (await fetch(`/trails?request_id=${encodeURIComponent(requestId)}`)).json()

/** Trails of this page's clients after a mark. */
export const trailsSince = async (mark) => (await fetch(`/trails?after=${mark}`)).json()

/** A mark in the order of trails: now. */
export const markNow = async () => (await (await fetch("/trails/mark")).json()).mark

/** A request from this page as a call, with the rules it met. */
export const callOf = async (id, title, text, sent, more = {}) => {
  const { status, body } = sent.answer
  const good = status < 400
  return {
    id,
    title,
    text: good ? text : (body.error_description ?? "The provider refused the request."),
    status: good ? "done" : "refused",
    badge: good ? String(status) : `${status} ${body.error ?? ""}`.trim(),
    request: sent.request,
    answer: sent.answer,
    trails: await trailsOf(sent.requestId),
    ...more,
  }
}
