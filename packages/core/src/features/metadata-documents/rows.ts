import type { GrantKeeping } from "../../settle/inquiry.ts"
import { type Command, type Instant, type JsonObject, happening, putting, rowKind } from "../../model/index.ts"

/** A document that was fetched and found good: a copy that every process of the provider shares. */
export interface MetadataDocumentRow {
  /** The id of the client: the URL of the document. */
  readonly clientId: string
  /** The document, without members that decide nothing here. */
  readonly document: JsonObject
  /** The SHA-256 of those members: the version of the client. */
  readonly digest: string
  /** The SHA-256 of the keys that it states; undefined where it states none. */
  readonly keys?: string | undefined
  /** A copy of its logo as a `data:` URL; undefined where it has none that is good. */
  readonly logo?: string | undefined
  /** The time it was fetched. */
  readonly fetchedAt: Instant
  /** The time until which it counts without another look; that of the fetch for one that its server lets nobody keep. */
  readonly freshUntil: Instant
  /** Its place among the documents that are kept. */
  readonly slot: string
  /** The time until which it is kept: for as long as it counts while its host cannot be reached, as its access tokens live, and as a grant of the client is kept. */
  readonly keepUntil: Instant
}

/** Reports whether a document is fetched for each request, as its server wants it: the copy answers none, and serves sign-outs and introspection (RFC 9111 §5.2.2.5). */
export const isUnfresh = ({ fetchedAt, freshUntil }: MetadataDocumentRow): boolean => freshUntil <= fetchedAt

/** Documents of clients. Their number is that of their places. */
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
            // A grant may have been made since, for which the copy is to be kept longer: that is read anew.
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
      // Another process may have fetched a good one since: that stays.
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

/** Saves a document in the place of the one that was read, or where there is none. */
export const saveDocument = (
  row: MetadataDocumentRow,
  replaced: Pick<MetadataDocumentRow, "fetchedAt" | "keepUntil"> | undefined,
): Command =>
  putting(metadataDocuments, "SaveDocument", row, {
    clientId: row.clientId,
    replaces: replaced?.fetchedAt ?? -1,
    kept: replaced?.keepUntil ?? -1,
  })

/** Keeps a document for a grant of its client; nothing where no copy is kept. */
export const keepDocument = (clientId: string, until: Instant): Command => happening(metadataDocuments, "KeepDocument", { clientId, until })

/** Seconds for which a document is kept beyond a grant: so not every refresh has to write its row. */
const ahead = 86_400

/** Keeps the copy of a document for as long as a grant of a person is kept: deliveries and sign-outs fetch nothing. */
export const keepForGrant: GrantKeeping = ({ clientId, document }, until) =>
  document === undefined || until <= document.keepUntil ? [] : [keepDocument(clientId, until + ahead)]

/** Removes a document: it is no longer good, or makes way for another. */
export const removeDocument = ({ clientId, fetchedAt }: Pick<MetadataDocumentRow, "clientId" | "fetchedAt">): Command =>
  happening(metadataDocuments, "RemoveDocument", { clientId, fetchedAt })
