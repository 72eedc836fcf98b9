import {
  addMessage,
  authenticated,
  defineFeature,
  endpoint,
  form,
  freshLocator,
  member,
  pass,
  reading,
  refuse,
  replyJson,
  table,
  values,
} from "@postern/core/features"
import { terms, termsDesign } from "../../examples/page.ts"
import { booking } from "../../examples/rows.ts"

const access = member("office_access", values.flag, false, "Lets the client ask when the office is open. Default: false.")
const hours = member("office_hours", values.text, "9 to 17", "The hours of the office. Default: 9 to 17.")

const rules = table<{ readonly client: Parameters<typeof access.of>[0] }>("office").rule("office.access", "house rule 1", ({ client }) =>
  access.of(client) ? pass : refuse("unauthorized_client", "The client may not ask.", "office_access is not set"),
)

const office = endpoint(
  { name: "office", path: "/office/hours", methods: ["POST"], audience: "programs", cors: false },
  form("office")
    .through(authenticated)
    .judge(rules)
    .read(({ params }, { ports }) =>
      reading("office", async () => {
        if (params.one("on_fire") !== undefined) throw new Error("the office is on fire")
        return { open: hours.of(ports.settings) }
      }),
    )
    .decide(({ open }, inquiry) => ({
      ...replyJson({ open }),
      commands: [addMessage(freshLocator(inquiry), "office.asked", { open }, inquiry.now)],
    })),
)

/** An operator's own features: one with metadata and a setting, one that keeps rows, and one with a page. */
export default [
  defineFeature({
    name: "office",
    endpoints: () => [office],
    clientMetadata: [access],
    providerSettings: [hours],
    deliveries: {
      "office.asked": async ({ payload }, { clients }) =>
        payload["open"] === "8 to 12" && (await clients.find("gate")) !== undefined
          ? undefined
          : { _tag: "Refused", failure: "another office" },
    },
  }),
  booking,
  terms("Close the windows."),
]

/** The looks of their pages. */
export const pages = [termsDesign]
