import { type Field, WebUri, clientField, values } from "../../model/index.ts"

/** Client metadata of subjects (OpenID Connect Core §8). */
export const clientMetadata: ReadonlyArray<Field> = [
  clientField(
    "subject_type",
    values.oneOf(["public", "pairwise"]),
    "public, or pairwise for subjects that only its sector sees; that needs pairwise_salt. Default: public.",
  ),
  clientField(
    "sector_identifier_uri",
    WebUri,
    "URL of a JSON array that lists all redirect URIs of the client's sector. Required of pairwise clients with several hosts.",
  ),
]
