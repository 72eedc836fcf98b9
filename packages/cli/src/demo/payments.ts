/** The identifier of the demo's API for payments. */
export const paymentsApi = "https://payments.example.com"

/** The demo's types of authorization details: payments, which people are asked about each time. docs/authorization-details.md explains it. */
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
      en: {
        title: "Payment",
        summary: "Pay {instructedAmount.amount} {instructedAmount.currency} to {creditorName}",
        fields: { "creditorAccount.iban": "Account", remittanceInformationUnstructured: "Reference", actions: "Actions" },
      },
      de: {
        title: "Zahlung",
        summary: "{instructedAmount.amount} {instructedAmount.currency} an {creditorName} zahlen",
        fields: { "creditorAccount.iban": "Konto", remittanceInformationUnstructured: "Verwendungszweck", actions: "Aktionen" },
      },
      es: {
        title: "Pago",
        summary: "Pagar {instructedAmount.amount} {instructedAmount.currency} a {creditorName}",
        fields: { "creditorAccount.iban": "Cuenta", remittanceInformationUnstructured: "Concepto", actions: "Acciones" },
      },
      fr: {
        title: "Paiement",
        summary: "Payer {instructedAmount.amount} {instructedAmount.currency} à {creditorName}",
        fields: { "creditorAccount.iban": "Compte", remittanceInformationUnstructured: "Motif", actions: "Actions" },
      },
      ja: {
        title: "支払い",
        summary: "{creditorName} に {instructedAmount.amount} {instructedAmount.currency} を支払う",
        fields: { "creditorAccount.iban": "口座", remittanceInformationUnstructured: "摘要", actions: "操作" },
      },
      pt: {
        title: "Pagamento",
        summary: "Pagar {instructedAmount.amount} {instructedAmount.currency} a {creditorName}",
        fields: { "creditorAccount.iban": "Conta", remittanceInformationUnstructured: "Descrição", actions: "Ações" },
      },
    },
  },
}

/** The setting of the feature that reads them: its name is known to that feature alone. */
export const demoDetailSettings = { authorization_details_types: demoDetailTypes }

/** The payment that the playground asks for. */
export const demoPayment = {
  type: "payment_initiation",
  actions: ["initiate"],
  instructedAmount: { currency: "EUR", amount: "123.50" },
  creditorName: "Merchant A",
  creditorAccount: { iban: "DE02100100109307118603" },
  remittanceInformationUnstructured: "Ref 1234",
}
