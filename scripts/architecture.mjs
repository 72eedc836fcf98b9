// The architecture's laws as lint rules: what each package and each folder may import, by the tables of `layers.mjs`, and what a decision may do.
// `.oxlintrc.json` turns them on; `test/workspace/architecture.test.ts` shows that each of them bites.
import { posix } from "node:path"
import { comments } from "./comments.mjs"
import { documented } from "./documented.mjs"
import { inside, layers, packages } from "./layers.mjs"

/** Files of the command that may import the provider that misbehaves. */
const mayMisbehave = /^packages\/cli\/src\/(?:actions\/misbehave|conform\/(?:files|script))\.ts$/
/** Files that serve people: nothing of the tools for tests belongs there. */
const servesPeople = /^packages\/cli\/src\/(?:(?:config|data|demo|doctor|init|serve|workers)\/.+|actions\/serve\w*\.ts)$/

/** Modules from outside that core may import: the stable modules of `effect`, its codecs, and `jose` in its own folder. */
const effectModule = /^effect\/(?:[A-Z]\w*|encoding\/[A-Z]\w*)$/
/** Stable modules of `effect` that reach the world: a clock, chance, files, the environment, the terminal. */
const worldly = ["Clock", "Config", "ConfigProvider", "Console", "DateTime", "FileSystem", "Glob", "Path", "Random", "Stdio", "Terminal"]

/** Files that decide: the shared rules, and each feature's own tables and pure steps. */
const deciding = /^packages\/core\/src\/(?:rules\/.+|features\/(?:.+\/)?(?:parse|rules|decide|render))\.ts$/
/** Folders of core from which no command may be run. */
const commandsAsData = /^packages\/core\/src\/(?:model|wire|rules|features)\//

const imports = {
  meta: { type: "problem" },
  create: (context) => {
    const file = placeOf(context)
    if (!/^packages\/[^/]+\/src\//.test(file)) return {}
    const check = (node, source, specifiers = []) => {
      for (const message of faultsOf(file, source, specifiers)) context.report({ node, message })
    }
    const stated = (node) => node.source && check(node.source, node.source.value, node.specifiers)
    return {
      ImportDeclaration: stated,
      ExportNamedDeclaration: stated,
      ExportAllDeclaration: stated,
      ImportExpression: (node) => check(node.source, node.source.type === "Literal" ? node.source.value : undefined),
      TSImportType: (node) => check(node.source, node.source.value),
    }
  },
}

const pure = {
  meta: { type: "problem" },
  create: (context) => {
    if (!deciding.test(placeOf(context))) return {}
    const synchronous = (node) =>
      node.async && context.report({ node, message: "A decision is synchronous: what it needs is loaded before and handed in." })
    return {
      FunctionDeclaration: synchronous,
      FunctionExpression: synchronous,
      ArrowFunctionExpression: synchronous,
      "Program > VariableDeclaration, Program > ExportNamedDeclaration > VariableDeclaration": (node) =>
        node.kind === "const" || context.report({ node, message: "A decision depends on its arguments alone: no state in the module." }),
    }
  },
}

const commit = {
  meta: { type: "problem" },
  create: (context) =>
    commandsAsData.test(placeOf(context))
      ? {
          "CallExpression > MemberExpression[property.name='commit']": (node) =>
            context.report({ node, message: "A state change is data: a decision carries its commands, and settle/ alone runs them." }),
        }
      : {},
}

/** Commands that make what is given away good. */
const issuing = ["saveGrant", "saveCode", "saveAccessToken", "saveRefreshToken"]
/** Files of core that may make tokens and their rows, beside the model that describes them. */
const mayIssue = /^packages\/core\/src\/(?:issuance|model|testing)\//

const issuance = {
  meta: { type: "problem" },
  create: (context) => {
    const file = placeOf(context)
    if (!file.startsWith("packages/core/src/") || mayIssue.test(file)) return {}
    const message =
      "Tokens and their rows are made of an Issuance, by issuance/ alone: what binds them and how long they live is decided there."
    const keyOf = (property) => property.key?.name ?? property.key?.value
    return {
      ImportSpecifier: (node) => issuing.includes(node.imported.name) && context.report({ node, message }),
      ObjectExpression: (node) => {
        const keys = node.properties.map(keyOf)
        const isPlan = keys.includes("expiresIn") && keys.includes("idToken")
        if (isPlan || node.properties.some((one) => keyOf(one) === "_tag" && one.value?.value === "IssueTokens"))
          context.report({ node, message })
      },
    }
  },
}

export default { meta: { name: "postern" }, rules: { imports, pure, commit, comments, documented, issuance } }

/** The file's path inside the workspace, with forward slashes. */
function placeOf(context) {
  return context.filename.replaceAll("\\", "/").replace(/^.*\/(?=packages\/[^/]+\/)/, "")
}

function* faultsOf(file, source, specifiers) {
  const [, folder] = file.split("/")
  if (!Object.hasOwn(packages, folder)) yield `packages/${folder} has no place in scripts/layers.mjs yet: say there what it may import.`
  else if (source === undefined) yield* folder === "core" ? ["Core imports by name only: this import cannot be checked."] : []
  else if (source.startsWith(".")) yield* relativeFaults(file, posix.join(posix.dirname(file), source))
  else yield* outsideFaults(file, folder, source, specifiers)
}

function* relativeFaults(file, target) {
  const [, folder, , layer, feature] = file.split("/")
  const [, targetFolder, targetRoot, targetLayer, targetFeature] = target.split("/")
  if (targetFolder !== folder) {
    yield "A package is imported by its name, never by a path into it."
    return
  }
  const isBesideLayers = (name) => name === undefined || name.endsWith(".ts")
  if (folder !== "core" && targetRoot === "src") yield* insideFaults(inside[folder], layer, targetLayer)
  if (folder !== "core" || targetRoot !== "src" || isBesideLayers(layer)) return
  if (!Object.hasOwn(layers, layer)) {
    yield `${layer}/ has no place in scripts/layers.mjs yet: say there what it may import.`
  } else if (isBesideLayers(targetLayer)) {
    yield `${layer}/ must not import what puts the provider together.`
  } else if (layer !== targetLayer && !layers[layer].includes(targetLayer)) {
    yield `${layer}/ must not import ${targetLayer}/: it may import ${layers[layer].join(", ") || "nothing but itself"}.`
  } else if (
    layer === "features" &&
    layer === targetLayer &&
    !isBesideLayers(feature) &&
    !isBesideLayers(targetFeature) &&
    feature !== targetFeature &&
    !target.endsWith("/index.ts")
  ) {
    yield "A feature imports another through its public face alone: features/NAME/index.ts."
  } else if (
    layer !== targetLayer &&
    targetLayer === "features" &&
    !isBesideLayers(targetFeature) &&
    !/\/(?:index|feature)\.ts$/.test(target)
  ) {
    yield "A feature is imported as what it declares, features/NAME/feature.ts, or through its public face, features/NAME/index.ts."
  }
}

/** A row imports the rows it names. */
function* insideFaults(rows, place, target) {
  const isFile = (name) => name === undefined || name.endsWith(".ts")
  if (place === target || (isFile(place) && !Object.hasOwn(rows, place))) return
  if (!Object.hasOwn(rows, place)) {
    yield `${place}/ has no place in scripts/layers.mjs yet: say there what it may import.`
  } else if (isFile(target) && !Object.hasOwn(rows, target)) {
    yield `${place} must not import ${target ?? "index.ts"}, which puts the package together: give it a row if it belongs below.`
  } else if (!rows[place].includes(target)) {
    yield `${place} must not import ${target}: it may import ${rows[place].join(", ") || "nothing but itself"}.`
  }
}

function* outsideFaults(file, folder, source, specifiers) {
  const [scope, name = ""] = source.split("/")
  if (scope === "@postern" && !packages[folder].includes(name)) {
    yield `${folder} must not import ${source}: imports point from the adapters to core, and from the command line to both.`
  }
  if (folder === "cli" && source === "@postern/conformance/misbehave" && !mayMisbehave.test(file))
    yield "The provider that misbehaves is for `postern misbehave` alone: no other command can load it."
  if (scope === "@postern" && name === "conformance" && servesPeople.test(file))
    yield "A provider that serves people imports nothing of the tools for tests."
  if (folder !== "core" || scope === "@postern") return
  if (/^packages\/core\/src\/features\/(?:token-exchange|jwt-bearer)\//.test(file))
    yield "A shipped extension grant is written as anyone's would be: it imports the interface of extension grants alone."
  if (source === "jose" || source.startsWith("jose/")) {
    if (!file.startsWith("packages/core/src/jose/")) yield "jose is imported in core's jose/ folder only."
  } else if (source !== "effect" && !effectModule.test(source)) {
    yield `Core must not import ${source}: besides its own files it may import effect's stable modules, and jose in jose/.`
  } else if (deciding.test(file)) {
    yield "A decision is a plain function over values: no effect here."
  } else {
    const names =
      source === "effect" ? specifiers.map((one) => one.imported?.name ?? one.local?.name ?? "*") : [source.slice("effect/".length)]
    // The provider reads the one clock, and a port may be offered as an Effect service; nothing else may.
    const mayReach = /^packages\/core\/src\/(?:provider\/provider|ports\/.+)\.ts$/.test(file)
    if (source === "effect" && specifiers.some((one) => one.type === "ImportNamespaceSpecifier")) {
      yield "Import effect's modules by name: the whole of it cannot be checked."
    }
    const reached = names.filter((one) => worldly.includes(one))
    if (reached.length > 0 && !mayReach)
      yield `Core must not use effect's ${reached.join(", ")}: time, chance and the world come through ports.`
  }
}
