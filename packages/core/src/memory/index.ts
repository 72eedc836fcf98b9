export * from "./authenticator.ts"
export * from "./clientStore.ts"
export * from "./signingKeyStore.ts"
export * from "./tokenStore.ts"
