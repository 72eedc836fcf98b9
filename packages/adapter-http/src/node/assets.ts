import type { Answer } from "@postern/core/wire"
import type { FileAnswer } from "../answer.ts"
import { assetAnswer, methodNotAllowed } from "../assetAnswer.ts"
import type { Asset } from "../pages/assets.ts"
import type { NodeRequest } from "./pair.ts"

/** Finds a page asset by its path, below the issuer's path. Several issuers serve the same files. */
export const assetRoutes = (
  issuer: string | undefined,
  assets: ReadonlyArray<Asset>,
): ((path: string) => ((request: NodeRequest) => Answer | FileAnswer) | undefined) => {
  const basePath = issuer === undefined ? undefined : new URL(issuer).pathname.replace(/\/$/, "")
  const byName = new Map(
    assets.map((each) => [
      `/assets/${encodeURIComponent(each.name)}`,
      ({ method, headers }: NodeRequest) =>
        method === "GET" || method === "HEAD" ? assetAnswer(each, headers["if-none-match"]) : methodNotAllowed,
    ]),
  )
  return (path) => {
    const at = basePath?.length ?? path.lastIndexOf("/assets/")
    return at < 0 || (basePath !== undefined && !path.startsWith(basePath)) ? undefined : byName.get(path.slice(at))
  }
}
