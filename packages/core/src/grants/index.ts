export { type JwtBearerOptions, jwtBearer, jwtBearerGrantType } from "./jwtBearer.ts"
export { type TokenExchangeOptions, tokenExchange, tokenExchangeGrantType } from "./tokenExchange.ts"
export type { TrustedIssuer } from "./trustedIssuer.ts"
