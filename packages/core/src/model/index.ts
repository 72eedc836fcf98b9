export * from "./audit.ts"
export * from "./client.ts"
export * from "./command.ts"
export * from "./commonMetadata.ts"
export * from "./conditions.ts"
export * from "./confirmation.ts"
export * from "./moved.ts"
export * from "./rowKind.ts"
export * from "./kinds/index.ts"
export * from "./decision.ts"
export * from "./declaredScopes.ts"
export * from "./demands.ts"
export type * from "./details.ts"
export * from "./fieldValues.ts"
export * from "./grantRows.ts"
export * from "./handle.ts"
export * from "./json.ts"
export * from "./jwk.ts"
export { messageOf, readable } from "./thrown.ts"
export * from "./keptMetadata.ts"
export {
  type Field,
  type FieldOption,
  type HolderOf,
  type Member,
  type Members,
  field,
  flagMember,
  member,
  optionalMember,
} from "./member.ts"
export { ScopeName, fieldsOf, schemaOf, valuesOfSchema } from "./memberSchema.ts"
export * from "./metadata.ts"
export * from "./ownPages.ts"
export * from "./faces.ts"
export * from "./page.ts"
export * from "./trouble.ts"
export * from "./pageKind.ts"
export type * from "./parameter.ts"
export * from "./pending.ts"
export type * from "./plan.ts"
export * from "./person.ts"
export type * from "./profile.ts"
export * from "./refusal.ts"
export type * from "./responseMode.ts"
export * from "./rows.ts"
export * from "./scope.ts"
export * from "./secret.ts"
export * from "./settings.ts"
export * from "./time.ts"
export * from "./trail.ts"
export * from "./upstream.ts"
export * from "./uses.ts"
export * from "./values.ts"
