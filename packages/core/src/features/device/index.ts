export { deviceCode } from "./grant.ts"
