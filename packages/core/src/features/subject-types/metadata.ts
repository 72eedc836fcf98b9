import { type Field, WebUri, plainField, values } from "../../model/index.ts"

/** Client metadata of subjects (OpenID Connect Core §8). */
export const clientMetadata: ReadonlyArray<Field> = [
  plainField("subject_type", values.oneOf(["public", "pairwise"])),
  plainField("sector_identifier_uri", WebUri),
]

/** Descriptions of these fields, which no request needs. */
export const descriptions = {
  subject_type: "public, or pairwise for subjects that only its sector sees; that needs pairwise_salt. Default: public.",
  sector_identifier_uri:
    "URL of a JSON array that lists all redirect URIs of the client's sector. Required of pairwise clients with several hosts.",
}
