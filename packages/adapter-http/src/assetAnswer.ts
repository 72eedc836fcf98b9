import type { Answer } from "@postern/core/wire"
import type { FileAnswer } from "./answer.ts"
import type { Asset } from "./pages/assets.ts"

/** Answers GET and HEAD for an asset, with 304 if the caller's copy is current (RFC 9110 §13.1.2). */
export const assetAnswer = ({ contentType, body, etag }: Asset, ifNoneMatch: string | undefined): FileAnswer => {
  const known = ifNoneMatch?.split(",", 20).some((tag) => tag.trim().replace(/^W\//, "") === etag || tag.trim() === "*") === true
  return {
    status: known ? 304 : 200,
    headers: [
      ["content-type", contentType],
      ["etag", etag],
      // The name contains a digest of the content, so the response can be immutable.
      ["cache-control", "public, max-age=31536000, immutable"],
      // An image that is opened directly must not act as one of our pages.
      ["content-security-policy", "default-src 'none'; style-src 'unsafe-inline'; sandbox"],
    ],
    body: known ? new Uint8Array(0) : body,
  }
}

/** The answer to an unsupported method on one of the server's own paths (RFC 9110 §15.5.6). */
export const methodNotAllowed: Answer = {
  status: 405,
  headers: [
    ["allow", "GET, HEAD"],
    ["cache-control", "no-store"],
  ],
  body: "",
}
