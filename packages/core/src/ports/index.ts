export * from "./plain.ts"
