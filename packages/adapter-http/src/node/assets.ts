import type { Answer } from "@postern/core/wire"
import type { FileAnswer } from "../answer.ts"
import { assetAnswer, methodNotAllowed } from "../assetAnswer.ts"
import type { Asset } from "../pages/assets.ts"
import type { NodeRequest } from "./pair.ts"

/** The files of pages by their path below an issuer. */
export const assetRoutes = (
  issuer: string,
  assets: ReadonlyArray<Asset>,
): ReadonlyMap<string, (request: NodeRequest) => Answer | FileAnswer> => {
  const basePath = new URL(issuer).pathname.replace(/\/$/, "")
  return new Map(
    assets.map((each) => [
      `${basePath}/assets/${encodeURIComponent(each.name)}`,
      ({ method, headers }: NodeRequest) =>
        method === "GET" || method === "HEAD" ? assetAnswer(each, headers["if-none-match"]) : methodNotAllowed,
    ]),
  )
}
