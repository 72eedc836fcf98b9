export { type JwtBearerOptions, jwtBearer, jwtBearerGrantType } from "../features/jwt-bearer/index.ts"
export { type TokenExchangeOptions, tokenExchange, tokenExchangeGrantType } from "../features/token-exchange/index.ts"
export type { TrustedIssuer } from "../extension/trustedIssuer.ts"
