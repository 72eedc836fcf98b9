// The tables of the architecture's laws: what each package may import, and each folder in it. `architecture.mjs` makes lint rules of them.

/**
 * The folders of packages/core/src, each with the folders it may import besides itself. Types count like values.
 * The files beside these folders (index.ts) say what is public, and may import all of them.
 */
export const layers = {
  model: [],
  wire: ["model"],
  ports: ["model", "wire"],
  profiles: ["model"],
  rules: ["model", "wire", "profiles"],
  // Modules that an extension grant is written against, and nothing besides.
  extension: ["model", "wire", "rules", "ports"],
  settle: ["model", "wire", "rules", "ports", "extension"],
  issuance: ["model", "wire", "rules", "ports", "settle"],
  features: ["model", "wire", "rules", "ports", "extension", "settle", "issuance"],
  grants: ["features", "extension"],
  provider: ["model", "wire", "profiles", "rules", "ports", "extension", "settle", "issuance", "features", "jose", "platform"],
  memory: ["model", "ports", "jose"],
  jose: ["model", "ports"],
  // The only place that touches a runtime: default ports made of the globals that every runtime has, for whoever puts a provider together.
  platform: ["ports", "wire"],
  // The work between requests, for runtimes without timers.
  maintain: ["model", "wire", "ports", "settle", "jose", "platform"],
  testing: ["model", "ports", "jose", "memory"],
}

/** Each package's folder, with the packages of this workspace it may import. */
export const packages = {
  core: [],
  "adapter-http": ["core"],
  stores: ["core"],
  "adapter-sqlite": ["core", "stores"],
  "adapter-postgres": ["core", "stores"],
  "adapter-redis": ["core"],
  "people-ldap": ["core"],
  verify: ["core"],
  "adapter-kysely": ["core", "stores"],
  "adapter-cloudflare": ["core", "stores"],
  conformance: ["core", "adapter-http"],
  cli: ["core", "stores", "adapter-http", "adapter-sqlite", "adapter-postgres", "conformance", "verify"],
}

/**
 * The folders of the other packages' src, from the lowest up, each with the folders it may import besides itself. A file beside them
 * that a folder imports has a row too. The remaining files put the package together: they may import every folder, and no row imports them.
 */
export const inside = {
  "adapter-http": {
    "address.ts": [],
    "answer.ts": [],
    "arriving.ts": [],
    "certificates.ts": ["address.ts"],
    "jws.ts": [],
    "jwts.ts": [],
    "limits.ts": [],
    "pieces.ts": [],
    "ports.ts": [],
    "lingering.ts": ["limits.ts"],
    "message.ts": ["address.ts", "arriving.ts", "certificates.ts", "pieces.ts"],
    outbound: ["pieces.ts"],
    pages: [],
    upstream: ["outbound", "pieces.ts"],
    "assetAnswer.ts": ["answer.ts", "pages"],
    node: [
      "address.ts",
      "answer.ts",
      "arriving.ts",
      "assetAnswer.ts",
      "certificates.ts",
      "jws.ts",
      "jwts.ts",
      "lingering.ts",
      "limits.ts",
      "message.ts",
      "pages",
      "ports.ts",
    ],
  },
  stores: {
    "declared.ts": [],
    "errors.ts": [],
    "noticing.ts": [],
    secrets: ["errors.ts"],
    clients: ["declared.ts", "errors.ts", "secrets"],
    people: ["clients", "declared.ts", "errors.ts", "noticing.ts", "secrets"],
    trails: [],
    audit: ["clients", "declared.ts", "people", "trails"],
    rows: ["clients", "noticing.ts", "people"],
  },
  "adapter-sqlite": {
    "requestCounts.ts": [],
    database: [],
    audit: ["database"],
    tokens: ["database"],
    copies: ["database", "tokens"],
    trails: ["database"],
    clients: ["database", "tokens"],
    people: ["database", "tokens"],
    writer: ["audit", "clients", "database", "people", "requestCounts.ts", "tokens", "trails"],
  },
  "adapter-postgres": {
    database: [],
    audit: ["database"],
    tokens: ["database"],
    trails: ["database"],
    clients: ["database", "tokens"],
    people: ["database", "tokens"],
    // Holds the migrations, which create the function that commits.
    schema: ["database", "tokens"],
    copies: ["database", "schema", "tokens"],
  },
  "people-ldap": {
    "directory.ts": [],
    "authenticator.ts": ["directory.ts"],
  },
  verify: {},
  "adapter-redis": {
    functions: [],
  },
  "adapter-kysely": {},
  "adapter-cloudflare": {},
  conformance: {
    "drawnNames.ts": [],
    exchange: ["drawnNames.ts"],
    oracle: ["exchange"],
    target: ["exchange"],
    browser: ["exchange", "target"],
    steps: ["browser", "exchange", "oracle", "target"],
    requirement: ["oracle", "steps", "target"],
    run: ["browser", "exchange", "requirement", "steps", "target"],
    requirements: ["exchange", "oracle", "requirement", "steps", "target"],
    report: ["exchange", "run"],
    faults: ["exchange", "requirement", "run", "target"],
    // Served to clients; never part of a provider that serves people (`mayMisbehave`).
    misbehave: ["exchange", "report", "requirement", "run"],
    // Requests as they were decided, to be decided again: only core is needed for that.
    recording: ["drawnNames.ts"],
    provider: ["browser", "exchange", "misbehave", "run", "steps", "target"],
  },
  cli: {
    "failure.ts": [],
    "version.ts": [],
    "workerCount.ts": [],
    "action.ts": ["failure.ts"],
    terminal: ["failure.ts"],
    config: ["failure.ts", "terminal", "workerCount.ts"],
    data: ["config", "failure.ts"],
    demo: ["config"],
    registration: ["config", "failure.ts"],
    doctor: ["config", "data", "failure.ts", "terminal", "workerCount.ts"],
    init: ["config"],
    import: [],
    serve: ["action.ts", "config", "data", "failure.ts", "terminal"],
    workers: ["action.ts", "config", "data", "failure.ts", "serve"],
    mcp: ["config", "failure.ts", "registration"],
    conform: ["config", "failure.ts"],
    replay: ["config", "failure.ts", "terminal"],
    actions: [
      "action.ts",
      "config",
      "conform",
      "data",
      "demo",
      "doctor",
      "failure.ts",
      "import",
      "init",
      "mcp",
      "registration",
      "replay",
      "serve",
      "terminal",
      "version.ts",
      "workerCount.ts",
      "workers",
    ],
    commands: ["action.ts", "actions", "workerCount.ts"],
  },
}
refuseUnordered(inside)

/** A row names only rows that stand before it: so no table allows a circle. */
function refuseUnordered(tables) {
  for (const [folder, rows] of Object.entries(tables)) {
    const below = new Set()
    for (const [place, allowed] of Object.entries(rows)) {
      const unknown = allowed.find((one) => !below.has(one))
      if (unknown !== undefined) throw new Error(`${folder}: the row ${unknown} has to stand before ${place}, which may import it.`)
      below.add(place)
    }
  }
}
