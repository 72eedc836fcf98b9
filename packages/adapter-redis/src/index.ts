export { RedisUnavailable, type SendCommand } from "./client.ts"
export * from "./stores.ts"
export type { RedisTokenStore } from "./tokenStore.ts"
