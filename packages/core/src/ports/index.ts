export * from "./plain.ts"
export * from "./ports.ts"
export * from "./services.ts"
