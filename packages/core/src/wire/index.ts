export * from "./address.ts"
export * from "./base64url.ts"
export * from "./message.ts"
export * from "./params.ts"
export * from "./policy.ts"
export * from "./protectedResource.ts"
export {
  type CertificateForm,
  type ForwardedCertificate,
  certificateFields,
  certificateForms,
  forwardedCertificate,
} from "./certificateHeaders.ts"
export * from "./cookie.ts"
export * from "./drawn.ts"
export * from "./freshness.ts"
export * from "./issuer.ts"
export * from "./json.ts"
export * from "./strictJson.ts"
export * from "./jwt.ts"
export * from "./locales.ts"
export { type Caller, boundedText, brokenOff, fromRequest, longestBody, toResponse, tooLate, tooLong, unread } from "./web.ts"
