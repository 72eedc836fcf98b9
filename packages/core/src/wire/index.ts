export * from "./message.ts"
export * from "./params.ts"
export * from "./cookie.ts"
