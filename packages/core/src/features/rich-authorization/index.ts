export { type TypeFault, typeFaults } from "./types.ts"
