// Makes a package's bill of materials, as CycloneDX 1.6 in JSON: from the lock file, and for the bundled command from what the bundler put into it.
// It holds no time and no serial number, so that the same sources give the same file.
import { readFileSync, realpathSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import * as CDX from "@cyclonedx/cyclonedx-library"
import type { Metafile } from "esbuild"
import { bare, isOwn, type LockFile, lockedAs, lockFile } from "./lockFile.ts"

const root = fileURLToPath(new URL("..", import.meta.url))
const { Models, Enums } = CDX

interface Manifest {
  readonly name: string
  readonly version: string
  readonly license?: string
  readonly description?: string
  readonly dependencies?: Readonly<Record<string, string>>
}

/** A package that others are made of. */
interface Part {
  readonly name: string
  readonly reference: string
  readonly license: string
  /** The digest of its tarball; undefined for a package of the workspace, which has none yet. */
  readonly integrity: string | undefined
  /** True if it is installed on some platforms alone. */
  readonly isOptional: boolean
  /** Keys of its own dependencies. */
  readonly needs: ReadonlyArray<string>
}

const manifestIn = (folder: string): Manifest => JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest
const keyOf = (name: string, reference: string): string => `${name}@${bare(reference)}`

/** The package-URL of a package of npm's. */
const purlOf = (name: string, version: string): string => `pkg:npm/${name.replace("@", "%40")}@${version}`

/** Finds the place of a dependency of what lies in a folder; undefined for one of another platform. */
const placeOf = (folder: string, name: string): string | undefined => {
  for (const place of [
    join(folder, "node_modules", name),
    join(folder.slice(0, folder.lastIndexOf("node_modules")), "node_modules", name),
  ]) {
    try {
      return realpathSync(place)
    } catch {
      // Not there.
    }
  }
  return undefined
}

/** Adds a package and all that it needs. */
const gather = (lock: LockFile, parts: Map<string, Part>, name: string, reference: string, from: string, above: Partial<Part>): void => {
  const key = keyOf(name, reference)
  const known = parts.get(key)
  if (known !== undefined && (!known.isOptional || above.isOptional === true)) return
  const { dependencies = {}, optionalDependencies = {} } = lock.snapshots[`${name}@${reference}`] ?? {}
  const folder = placeOf(from, name)
  // A package that is not for this platform is not here to be read; it is a binary of the one that asks for it.
  const license = folder === undefined ? above.license : manifestIn(folder).license
  if (license === undefined) throw new Error(`${key} states no license.`)
  const needed = Object.entries({ ...dependencies, ...optionalDependencies })
  const isOptional = above.isOptional ?? false
  const { integrity } = lockedAs(lock, name, reference).resolution
  parts.set(key, { name, reference, license, integrity, isOptional, needs: needed.map(([each, at]) => keyOf(each, at)) })
  for (const [each, at] of needed)
    gather(lock, parts, each, at, folder ?? from, { license, isOptional: isOptional || each in optionalDependencies })
}

/** Adds the dependencies of a package of the workspace, and answers with their keys. */
const gatherOf = (lock: LockFile, parts: Map<string, Part>, folder: string): ReadonlyArray<string> =>
  Object.entries(lock.importers[folder]?.dependencies ?? {}).map(([name, { version: reference }]) => {
    if (isOwn(reference)) return addOwn(lock, parts, `packages/${name.slice(name.indexOf("/") + 1)}`)
    gather(lock, parts, name, reference, join(root, folder), {})
    return keyOf(name, reference)
  })

/** Adds a package of the workspace with its dependencies. */
const addOwn = (lock: LockFile, parts: Map<string, Part>, folder: string): string => {
  const { name, version, license = "" } = manifestIn(join(root, folder))
  const key = keyOf(name, version)
  const part = { name, reference: version, license, integrity: undefined, isOptional: false, needs: [] }
  if (!parts.has(key)) parts.set(key, { ...part, needs: gatherOf(lock, parts, folder) })
  return key
}

const licenseOf = (text: string) => {
  const id = CDX.SPDX.fixupSpdxId(text)
  return id === undefined ? new Models.LicenseExpression(text) : new Models.SpdxLicense(id)
}

const component = ({ name, version, license }: Pick<Manifest, "name" | "version"> & { readonly license: string }) => {
  const [group, short] = name.startsWith("@") ? name.split("/") : [undefined, name]
  const purl = purlOf(name, version)
  return new Models.Component(Enums.ComponentType.Library, short ?? name, {
    ...(group === undefined ? {} : { group }),
    version,
    purl,
    bomRef: purl,
    licenses: new Models.LicenseRepository([licenseOf(license)]),
  })
}

const write = (manifest: Manifest, parts: ReadonlyMap<string, Part>, needs: ReadonlyArray<string>): string => {
  const own = component({ license: "MIT", ...manifest })
  if (manifest.description !== undefined) own.description = manifest.description
  const bom = new Models.Bom({ metadata: new Models.Metadata({ component: own }) })
  const made = new Map(
    [...parts].map(([key, { name, reference, license, integrity, isOptional }]) => {
      const each = component({ name, version: bare(reference), license })
      each.scope = isOptional ? Enums.ComponentScope.Optional : Enums.ComponentScope.Required
      const digest = integrity?.replace(/^sha512-/, "")
      if (digest !== undefined) each.hashes.set(Enums.HashAlgorithm["SHA-512"], Buffer.from(digest, "base64").toString("hex"))
      bom.components.add(each)
      return [key, each] as const
    }),
  )
  const linked = (from: typeof own, to: ReadonlyArray<string>): void => {
    for (const key of to) {
      const { bomRef } = made.get(key) ?? {}
      if (bomRef !== undefined) from.dependencies.add(bomRef)
    }
  }
  linked(own, needs)
  for (const [key, { needs: below }] of parts) linked(made.get(key) ?? own, below)
  const serializer = new CDX.Serialize.JsonSerializer(new CDX.Serialize.JSON.Normalize.Factory(CDX.Spec.Spec1dot6))
  return `${serializer.serialize(bom, { sortLists: true, space: 2 })}\n`
}

/** The bill of materials of a library of the workspace, such as `packages/core`: all that is installed with it. */
export const sbomOfLibrary = (folder: string): string => {
  const lock = lockFile()
  const parts = new Map<string, Part>()
  const needs = gatherOf(lock, parts, folder)
  return write(manifestIn(join(root, folder)), parts, needs)
}

/** The bill of materials of the bundled command: the packages whose code is in it, and those that are installed with it. */
export const sbomOfCommand = (folder: string, { outputs }: Pick<Metafile, "outputs">): string => {
  const lock = lockFile()
  const parts = new Map<string, Part>()
  const installed = gatherOf(lock, parts, folder)
  const files = Object.values(outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([file, { bytesInOutput }]) => (bytesInOutput > 0 ? [file] : [])),
  )
  const bundled = new Set(files.flatMap((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)|^packages\/[^/]+(?=\/)/.exec(file)?.[0] ?? []))
  const inside = [...bundled].flatMap((place) => {
    const { name, version, license } = manifestIn(join(root, place))
    const key = keyOf(name, version)
    if (place === folder) return []
    if (license === undefined) throw new Error(`${key} states no license.`)
    const integrity = place.startsWith("packages/") ? undefined : lockedAs(lock, name, version).resolution.integrity
    if (!parts.has(key)) parts.set(key, { name, reference: version, license, integrity, isOptional: false, needs: [] })
    return [key]
  })
  return write(manifestIn(join(root, folder)), parts, [...installed, ...inside])
}

/** The file of a package's bill of materials, in its dist/. */
export const sbomFile = "sbom.cdx.json"
