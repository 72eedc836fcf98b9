import { fileURLToPath } from "node:url"
import { ForksPoolWorker, type PoolOptions } from "vitest/node"

/** A process for test files whose modules Node loads. */
class NodeWorker extends ForksPoolWorker {
  override readonly name = "node"
  protected override readonly entrypoint = fileURLToPath(new URL("nodeWorker.ts", import.meta.url))
}

/** Processes like those of Vitest's pool `forks`, but for the modules: Node loads them, strips their types and keeps them compiled. */
export const nodePool = { name: "node", createPoolWorker: (options: PoolOptions): NodeWorker => new NodeWorker(options) }
