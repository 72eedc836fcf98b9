/** The identifier of the demo's payment API. */
export const paymentsApi = "https://payments.example.com"

/** The display texts of a payment in one language. */
const words = (title: string, summary: string, account: string, reference: string, actions: string) => ({
  title,
  summary,
  fields: { "creditorAccount.iban": account, remittanceInformationUnstructured: reference, actions },
})

/** The demo's authorization details types. Payments require consent each time. docs/authorization-details.md explains them. */
export const demoDetailTypes = {
  payment_initiation: {
    resources: [paymentsApi],
    consent: "each",
    schema: {
      required: ["instructedAmount", "creditorName", "creditorAccount"],
      properties: {
        actions: { items: { type: "string", enum: ["initiate", "status", "cancel"] } },
        instructedAmount: {
          type: "object",
          required: ["currency", "amount"],
          properties: {
            currency: { type: "string", format: "currency" },
            amount: { type: "string", format: "decimal", narrows: "at-most" },
          },
        },
        creditorName: { type: "string", maxLength: 70 },
        creditorAccount: { type: "object", required: ["iban"], properties: { iban: { type: "string", format: "iban" } } },
        remittanceInformationUnstructured: { type: "string", maxLength: 140 },
      },
    },
    words: {
      en: words(
        "Payment",
        "Pay {instructedAmount.amount} {instructedAmount.currency} to {creditorName}",
        "Account",
        "Reference",
        "Actions",
      ),
      de: words(
        "Zahlung",
        "{instructedAmount.amount} {instructedAmount.currency} an {creditorName} zahlen",
        "Konto",
        "Verwendungszweck",
        "Aktionen",
      ),
      es: words("Pago", "Pagar {instructedAmount.amount} {instructedAmount.currency} a {creditorName}", "Cuenta", "Concepto", "Acciones"),
      fr: words("Paiement", "Payer {instructedAmount.amount} {instructedAmount.currency} à {creditorName}", "Compte", "Motif", "Actions"),
      ja: words("支払い", "{creditorName} に {instructedAmount.amount} {instructedAmount.currency} を支払う", "口座", "摘要", "操作"),
      pt: words("Pagamento", "Pagar {instructedAmount.amount} {instructedAmount.currency} a {creditorName}", "Conta", "Descrição", "Ações"),
    },
  },
}

/** The setting of the authorization details feature. Only the feature knows its name. */
export const demoDetailSettings = { authorization_details_types: demoDetailTypes }

/** The payment that the playground requests. */
export const demoPayment = {
  type: "payment_initiation",
  actions: ["initiate"],
  instructedAmount: { currency: "EUR", amount: "123.50" },
  creditorName: "Merchant A",
  creditorAccount: { iban: "DE02100100109307118603" },
  remittanceInformationUnstructured: "Ref 1234",
}
