import type { Json, JsonObject } from "@postern/core"
import { type WorldOptions, clients, resources } from "./world.ts"

/** Resources of worlds with authorization details. */
export const detailResources = [
  ...resources,
  {
    identifier: "https://pay.example",
    title: "Payments",
    scopes: [{ name: "pay", required: false, title: undefined, description: undefined }],
  },
  { identifier: "https://accounts.example", title: "Accounts", scopes: [] },
]

/** Types of authorization details: one of each kind of form and of narrowing. */
export const detailTypes = {
  payment: {
    resources: ["https://pay.example"],
    consent: "each",
    schema: {
      required: ["amount", "creditor"],
      properties: {
        actions: { items: { type: "string", enum: ["initiate", "status", "cancel"] } },
        amount: {
          type: "object",
          required: ["currency", "value"],
          properties: {
            currency: { type: "string", format: "currency" },
            value: { type: "string", format: "decimal", narrows: "at-most" },
          },
        },
        creditor: { type: "string", maxLength: 70 },
        iban: { type: "string", format: "iban" },
        instant: { type: "boolean" },
      },
    },
    words: {
      en: {
        title: "Payment",
        summary: "Pay {amount.value} {amount.currency} to {creditor}",
        fields: { iban: "Account", instant: "Instant" },
      },
      de: { title: "Zahlung", summary: "{amount.value} {amount.currency} an {creditor} zahlen", fields: { iban: "Konto" } },
    },
  },
  accounts: {
    resources: ["https://accounts.example", "https://pay.example"],
    schema: {
      properties: {
        actions: { items: { type: "string", enum: ["balance", "history"] }, absent: "everything" },
        accounts: { type: "array", items: { type: "string" }, narrows: "subset", enrich: { claim: "accounts" } },
        until: { type: "string", format: "date", narrows: "at-most", absent: "everything" },
      },
    },
    words: { en: { title: "Accounts", summary: "See {accounts}" } },
  },
  report: {
    resources: ["https://api.example"],
    without_person: true,
    schema: { properties: { identifier: {}, pages: { type: "integer", minimum: 1, maximum: 100, narrows: "at-most" } } },
    words: { en: { title: "Report", summary: "Make the report {identifier}" } },
  },
} as const satisfies Record<string, Json>

/** A payment. */
export const payment = (value = "120.00", more: JsonObject = {}): JsonObject => ({
  type: "payment",
  amount: { currency: "EUR", value },
  creditor: "Merchant A",
  ...more,
})

const mayUse = ["web", "other", "asks", "spa", "opaque", "machine", "tv", "hybrid", "ropc", "native"]

/** A world whose clients may ask for authorization details. */
export const withDetails = (more: Partial<NonNullable<WorldOptions["more"]>> = {}): WorldOptions => ({
  clients: [
    ...clients.map((each) => {
      const scope = each.scope === undefined ? {} : { scope: `${each.scope} pay` }
      return mayUse.includes(each.client_id) ? { ...each, ...scope, authorization_details_types: Object.keys(detailTypes) } : each
    }),
    {
      client_id: "pay-api",
      client_secret: "secret of pay-api",
      grant_types: [],
      response_types: [],
      introspection_resources: ["https://pay.example"],
    },
    {
      client_id: "accounts-api",
      client_secret: "secret of accounts-api",
      grant_types: [],
      response_types: [],
      introspection_resources: ["https://accounts.example"],
    },
  ],
  more: { resources: detailResources, ...more, settings: { authorization_details_types: detailTypes, ...more.settings } },
})

/** Details as the parameter has them. */
export const written = (...details: ReadonlyArray<unknown>): string => JSON.stringify(details)
