import type { Answer } from "@postern/core/wire"
import type { FileAnswer } from "./answer.ts"
import type { Asset } from "./pages/assets.ts"

/** The answer of an asset to GET and HEAD: 304 where the caller has it (RFC 9110 §13.1.2). */
export const assetAnswer = ({ contentType, body, etag }: Asset, ifNoneMatch: string | undefined): FileAnswer => {
  const known = ifNoneMatch?.split(",", 20).some((tag) => tag.trim().replace(/^W\//, "") === etag || tag.trim() === "*") === true
  return {
    status: known ? 304 : 200,
    headers: [
      ["content-type", contentType],
      ["etag", etag],
      // The name changes with the content.
      ["cache-control", "public, max-age=31536000, immutable"],
      // A picture opened by itself is no page of ours.
      ["content-security-policy", "default-src 'none'; style-src 'unsafe-inline'; sandbox"],
    ],
    body: known ? new Uint8Array(0) : body,
  }
}

/** The answer to another method on the server's own paths (RFC 9110 §15.5.6). */
export const methodNotAllowed: Answer = {
  status: 405,
  headers: [
    ["allow", "GET, HEAD"],
    ["cache-control", "no-store"],
  ],
  body: "",
}
