import type { Page, PageContext } from "../model/index.ts"

/** Pages that replace those that could not be rendered. */
export type PlainPage = Extract<Page, { _tag: "Error" | "FormPost" | "SigningOut" }>

const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)

/** Texts for the troubles that a failed port causes; others are shown by name. */
const words: Readonly<Record<string, string>> = {
  unavailable: "Nothing was changed. Try again in a moment.",
  uncertain: "Your last step may have been completed. Check before you try again.",
}

/**
 * Renders an error, an authorization response in a form (OAuth 2.0 Form Post Response Mode §2), or the frames of a sign-out (OpenID Connect
 * Front-Channel Logout §3) as a minimal document in which nothing can fail.
 */
export const plainPage = (page: PlainPage, { requestId, nonce }: Pick<PageContext, "requestId" | "nonce">): string => {
  const document = (title: string, content: string): string =>
    `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title><h1>${title}</h1>${content}</html>`
  if (page._tag === "FormPost") {
    const fields = page.fields.map(([name, value]) => `<input type="hidden" name="${escaped(name)}" value="${escaped(value)}">`).join("")
    return document(
      "Continue",
      `<form method="post" action="${escaped(page.action)}" id="form-post">${fields}<button id="form-post-submit">Continue to ${escaped(page.clientName)}</button></form>` +
        `<script nonce="${nonce}">document.getElementById("form-post").submit()</script>`,
    )
  }
  if (page._tag === "SigningOut") {
    const frames = page.frames
      .map((each) => `<iframe src="${escaped(each)}" sandbox="allow-same-origin allow-scripts" hidden></iframe>`)
      .join("")
    const onward = page.onward === undefined ? "" : `<p><a href="${escaped(page.onward)}" id="signed-out-continue">Continue</a></p>`
    return document("You are signed out", onward + frames)
  }
  const { trouble, error } = page
  return document(
    "This page cannot be shown",
    `<div id="op-error"><p>${words[trouble] ?? `Reason: ${trouble.replaceAll("_", " ")}.`}</p>${error === undefined ? "" : `<p>Error code: <code>${escaped(error)}</code></p>`}` +
      `<p>Reference: <code id="request-id">${escaped(requestId)}</code></p></div>`,
  )
}
