// Hover text as a lint rule: what a reader of the types meets has a sentence of its own.

/** Modules that an embedder writes against: every member of every exported type there is documented. */
const folders =
  /^packages\/core\/src\/(?:(?:model|ports|wire|extension|jose|memory|grants|testing|platform)\/.+|[^/]+)\.ts$|^packages\/adapter-http\/src\/node\/.+\.ts$/

/** Files of other packages whose types their entry points export. */
const files = {
  "adapter-http": [
    "serve",
    "log",
    "limits",
    "trails",
    "audit",
    "run",
    "upstream/index",
    "upstream/provider",
    "outbound/index",
    "pages/index",
    "pages/assets",
  ],
  stores: [
    "stores",
    "clients/clientStore",
    "people/authenticator",
    "people/tableAuthenticator",
    "people/users",
    "people/declare",
    "audit/audit",
    "hashing",
    "sweeping",
    "turns",
    "exchanging",
    "declared",
    "invalidated",
    "trails/trails",
  ],
  "adapter-sqlite": ["stores", "copies/backup", "copies/restore", "database/examine", "database/open"],
  "adapter-postgres": ["stores", "database/connect", "copies/invalidate"],
  "people-ldap": ["authenticator"],
  verify: ["express", "fetch", "hono", "introspection", "node", "options", "rules", "server", "token", "uses", "verdict"],
  "adapter-redis": ["client", "stores", "tokenStore"],
  "adapter-cloudflare": ["d1", "database", "object", "requestCounts", "stores", "tokenStore"],
  "adapter-kysely": ["durability", "flavor", "requestCounts", "stores", "tokenStore"],
}

const paths = new Set(Object.entries(files).flatMap(([name, own]) => own.map((file) => `packages/${name}/src/${file}.ts`)))

const isDocumented = (context, node) =>
  context.sourceCode.getCommentsBefore(node).some(({ type, value }) => type === "Block" && value.startsWith("*"))

/** The statement that a node stands in, at the top of its file. */
const statementOf = (node) => (node.parent === null || node.parent.type === "Program" ? node : statementOf(node.parent))

const nameOf = ({ key }) => key?.name ?? key?.value ?? "this member"

export const documented = {
  meta: { type: "problem" },
  create: (context) => {
    const file = context.filename.replaceAll("\\", "/").replace(/^.*\/(?=packages\/[^/]+\/)/, "")
    if (!folders.test(file) && !paths.has(file)) return {}
    const member = (node) => {
      const { type } = statementOf(node)
      const exported = type === "ExportNamedDeclaration" || type === "ExportDefaultDeclaration"
      if (exported && inType(node) && !isDocumented(context, node))
        context.report({ node, message: `${nameOf(node)} has no doc comment: say what it holds, in a sentence that is read on hover.` })
    }
    const field = (node) => {
      if (statementOf(node).type === "ExportNamedDeclaration" && !isDocumented(context, node))
        context.report({ node, message: `${nameOf(node)} has no doc comment: say what it holds, in a sentence that is read on hover.` })
    }
    return {
      // The fields of a schema are members of the type that is made of it.
      "CallExpression[callee.property.name='Struct'] > ObjectExpression > Property": field,
      TSPropertySignature: member,
      TSMethodSignature: member,
      "ExportNamedDeclaration[declaration]": declaration(context),
    }
  },
}

/** Members of a type that has a name; those of a parameter or of a return type are the function's. */
const inType = (node) => {
  for (let at = node.parent; at !== null; at = at.parent) {
    if (at.type === "TSFunctionType" || at.type === "TSTypeAnnotation" || at.type === "VariableDeclarator") {
      if (at.type === "TSTypeAnnotation" && at.parent.type === "TSPropertySignature") continue
      return false
    }
    if (at.type === "TSInterfaceDeclaration" || at.type === "TSTypeAliasDeclaration") return true
  }
  return false
}

const declaration = (context) => (node) => {
  // The implementation of overloads is seen by nobody.
  const before = node.parent.body[node.parent.body.indexOf(node) - 1]
  if (before?.declaration?.type === "TSDeclareFunction" && before.declaration.id?.name === node.declaration.id?.name) return
  if (!isDocumented(context, node)) context.report({ node, message: "An export has a doc comment: its hover text." })
}
