// The entry point for other servers. It loads only the parts of this package that they need.
export { type CallerAddress, callerAddress } from "../address.ts"
export { nodeJws } from "../jws.ts"
export { nodeJwts } from "../jwts.ts"
export { nodeDigest, nodeEntropy } from "../ports.ts"
export { type NodeHandler, type NodeHandlerOptions, toNodeHandler } from "./handler.ts"
export { type NodeInteractions, nodeInteractions } from "./interactions.ts"
export type { NodeRequest, NodeResponse } from "./pair.ts"
