import { hash } from "node:crypto"
import { readFileSync, readdirSync, statSync } from "node:fs"
import { basename, extname, join } from "node:path"
import { PagesFault } from "./fault.ts"

/** A file that pages load, ready to be sent. */
export interface Asset {
  /** Name under `assets/`: holds a digest of the body, so that it can be kept for ever. */
  readonly name: string
  /** Its `Content-Type`. */
  readonly contentType: string
  /** Its bytes. */
  readonly body: Uint8Array
  /** Strong entity tag (RFC 9110 §8.8.3), with its quotes. */
  readonly etag: string
}

/** Media types of the files that may be served, by file extension. */
const contentTypes: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".jpg": "image/jpeg",
  ".jpeg": "image/jpeg",
  ".gif": "image/gif",
  ".webp": "image/webp",
  ".avif": "image/avif",
  ".ico": "image/vnd.microsoft.icon",
  ".woff2": "font/woff2",
}

/** Largest file that is taken for an asset, in bytes. */
const largest = 2 * 1024 * 1024

/** An asset of a name and a body. */
export const asset = (name: string, body: Uint8Array | string): Asset => {
  const bytes = typeof body === "string" ? Buffer.from(body, "utf8") : body
  const ending = extname(name).toLowerCase()
  const contentType = contentTypes[ending]
  if (contentType === undefined) throw new PagesFault(`${name}: only ${Object.keys(contentTypes).join(", ")} can be served`)
  const digest = hash("sha256", bytes, "base64url").slice(0, 16)
  return { name: `${name.slice(0, -ending.length)}.${digest}${ending}`, contentType, body: bytes, etag: `"${digest}"` }
}

/** The asset of a file. */
export const assetFile = (file: string): Asset => {
  let size: number
  try {
    size = statSync(file).size
  } catch (cause) {
    throw new PagesFault(`${file}: ${cause instanceof Error ? cause.message : String(cause)}`)
  }
  if (size > largest) throw new PagesFault(`${file}: larger than ${largest / 1024 / 1024} MiB`)
  return asset(basename(file), readFileSync(file))
}

/** The files of a folder that can be served, by the name templates call them. */
export const assetFolder = (folder: string): ReadonlyMap<string, Asset> =>
  new Map(
    readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isFile() && contentTypes[extname(entry.name).toLowerCase()] !== undefined)
      .map((entry) => [entry.name, assetFile(join(folder, entry.name))]),
  )
