import type { GrantKeeping } from "../../settle/inquiry.ts"
import { type Command, type Instant, type JsonObject, happening, putting, rowKind } from "../../model/index.ts"

/** A valid document that was fetched. All processes of the provider share this copy. */
export interface MetadataDocumentRow {
  /** The id of the client: the URL of the document. */
  readonly clientId: string
  /** The document, without members that have no effect here. */
  readonly document: JsonObject
  /** The SHA-256 of those members: the version of the client. */
  readonly digest: string
  /** The SHA-256 of the keys that it contains; undefined if it contains none. */
  readonly keys?: string | undefined
  /** A copy of its logo as a `data:` URL; undefined if it has no valid one. */
  readonly logo?: string | undefined
  /** The time at which it was fetched. */
  readonly fetchedAt: Instant
  /** The time until which it is used without being fetched again; the time of the fetch if its server lets nobody cache it. */
  readonly freshUntil: Instant
  /** Its slot among the stored documents. */
  readonly slot: string
  /**
   * The time until which it is kept: while it may be used although its host cannot be reached, while its access tokens live, and while a
   * grant of the client is kept.
   */
  readonly keepUntil: Instant
}

/**
 * Reports whether a document is fetched for each request, as its server requires. No request is answered from the copy, which only serves
 * sign-outs and introspection (RFC 9111 §5.2.2.5).
 */
export const isUnfresh = ({ fetchedAt, freshUntil }: MetadataDocumentRow): boolean => freshUntil <= fetchedAt

/** Documents of clients. Their number is limited by the number of slots. */
export const metadataDocuments = rowKind<MetadataDocumentRow>(
  "metadata_documents_kept",
  {
    clientId: "text",
    document: "json",
    digest: "text",
    keys: "text?",
    logo: "text?",
    fetchedAt: "integer",
    freshUntil: "integer",
    slot: "text",
    keepUntil: "integer",
  },
  {
    called: "a document of a client",
    key: ["clientId"],
    unique: ["slot"],
    keptUntil: "keepUntil",
    events: {
      SaveDocument: {
        ways: [
          { when: "absent", change: "insert" },
          {
            // A grant made in the meantime may have extended the life of the copy, in which case it must be read again.
            when: [
              ["fetchedAt", "equal", ":replaces"],
              ["keepUntil", "equal", ":kept"],
            ],
            change: "replace",
          },
        ],
        moves: { none: "kept", kept: "kept" },
      },
      KeepDocument: { ways: [{ when: [], change: [["keepUntil", "max", ":until"]] }], otherwise: "nothing", moves: { kept: "kept" } },
      // Another process may have fetched a good one in the meantime, which must not be removed.
      RemoveDocument: {
        ways: [{ when: [["fetchedAt", "equal", ":fetchedAt"]], change: "remove" }],
        otherwise: "nothing",
        moves: { kept: "none" },
      },
    },
    lists: {
      documents: {
        all: [],
        order: [
          ["fetchedAt", "down"],
          ["clientId", "up"],
        ],
      },
    },
    states: { kept: [] },
  },
)

/** Saves a document in place of the one that was read, or as a new one if none was. */
export const saveDocument = (
  row: MetadataDocumentRow,
  replaced: Pick<MetadataDocumentRow, "fetchedAt" | "keepUntil"> | undefined,
): Command =>
  putting(metadataDocuments, "SaveDocument", row, {
    clientId: row.clientId,
    replaces: replaced?.fetchedAt ?? -1,
    kept: replaced?.keepUntil ?? -1,
  })

/** Keeps a document for a grant of its client. It has no effect if no copy is stored. */
export const keepDocument = (clientId: string, until: Instant): Command => happening(metadataDocuments, "KeepDocument", { clientId, until })

/** Seconds for which a document is kept beyond a grant, so that not every refresh has to write its row. */
const ahead = 86_400

/** Keeps the copy of a document for as long as a person's grant, because deliveries and sign-outs fetch nothing. */
export const keepForGrant: GrantKeeping = ({ clientId, document }, until) =>
  document === undefined || until <= document.keepUntil ? [] : [keepDocument(clientId, until + ahead)]

/** Removes a document that is no longer good or that is replaced by another. */
export const removeDocument = ({ clientId, fetchedAt }: Pick<MetadataDocumentRow, "clientId" | "fetchedAt">): Command =>
  happening(metadataDocuments, "RemoveDocument", { clientId, fetchedAt })
