import { hash } from "node:crypto"
import { readFileSync, readdirSync, statSync } from "node:fs"
import { basename, extname, join } from "node:path"
import { PagesFault } from "./fault.ts"

/** A file that pages load, ready to be served. */
export interface Asset {
  /** The file name under `assets/`. It contains a digest of the body, so that it can be cached forever. */
  readonly name: string
  /** Its `Content-Type`. */
  readonly contentType: string
  /** Its bytes. */
  readonly body: Uint8Array
  /** The strong entity tag (RFC 9110 §8.8.3), with its quotes. */
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

/** The maximum size of an asset file, in bytes. */
const largest = 2 * 1024 * 1024

/** Creates an asset from a name and a body. */
export const asset = (name: string, body: Uint8Array | string): Asset => {
  const bytes = typeof body === "string" ? Buffer.from(body, "utf8") : body
  const ending = extname(name).toLowerCase()
  const contentType = contentTypes[ending]
  if (contentType === undefined) throw new PagesFault(`${name}: only ${Object.keys(contentTypes).join(", ")} can be served`)
  const digest = hash("sha256", bytes, "base64url").slice(0, 16)
  return { name: `${name.slice(0, -ending.length)}.${digest}${ending}`, contentType, body: bytes, etag: `"${digest}"` }
}

/** Reads an asset from a file. */
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

/** Reads the servable files of a folder, by the name that templates use. */
export const assetFolder = (folder: string): ReadonlyMap<string, Asset> =>
  new Map(
    readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isFile() && contentTypes[extname(entry.name).toLowerCase()] !== undefined)
      .map((entry) => [entry.name, assetFile(join(folder, entry.name))]),
  )
