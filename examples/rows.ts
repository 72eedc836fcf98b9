/**
 * A feature that keeps rows: clients book appointments, each hour once. The table is described as data, and every store keeps it: in memory, on SQLite, on
 * PostgreSQL. The databases make the table from the description when they are opened; nothing else is written for any of them.
 */
import type { AnyFeature } from "@postern/core"
import {
  authenticated,
  defineFeature,
  endpoint,
  form,
  happening,
  insertedAs,
  pass,
  putting,
  refuse,
  replyJson,
  rowKind,
  table,
  together,
} from "@postern/core/features"

/** An appointment. */
export interface Appointment {
  readonly hour: string
  readonly clientId: string
  readonly bookedAt: number
  readonly canceledAt: number | undefined
  readonly keepUntil: number
}

/** The table: its columns, everything that may happen to a row with the guard and the moves of each event, its lists, and its states. */
export const appointments = rowKind<Appointment>(
  "appointments_booked",
  { hour: "text", clientId: "text", bookedAt: "integer", canceledAt: "integer?", keepUntil: "integer" },
  {
    called: "an appointment",
    key: ["hour"],
    keptUntil: "keepUntil",
    events: {
      BookAppointment: insertedAs("booked"),
      CancelAppointment: {
        ways: [
          {
            when: [
              ["clientId", "equal", ":clientId"],
              ["canceledAt", "unset"],
            ],
            change: [["canceledAt", "set", ":at"]],
          },
        ],
        moves: { booked: "canceled" },
      },
    },
    lists: {
      ofClient: {
        all: [
          ["clientId", "equal", ":clientId"],
          ["canceledAt", "unset"],
        ],
        order: [["hour", "up"]],
      },
    },
    states: { booked: [], canceled: [["canceledAt", "set"]] },
  },
)

interface Asked {
  readonly hour: string | undefined
  readonly there: Appointment | undefined
}

const rules = table<Asked>("appointments")
  .present("appointments.hour", "house rule 1", "hour", () => refuse("invalid_request", "The hour is missing."))
  .rule("appointments.free", "house rule 2", ({ there }) =>
    there === undefined ? pass : refuse("invalid_request", "The hour is taken.", "another appointment has it"),
  )

/** A week, in seconds: an appointment is kept for so long. */
const week = 604_800

const book = endpoint(
  { name: "appointments", path: "/office/appointments", methods: ["POST"], audience: "programs", cors: false },
  form("appointments")
    .through(authenticated)
    .read(({ params }, { ports }) => {
      const hour = params.one("hour")
      return together({ hour, there: ports.tokens.find(appointments, { hour }) })
    })
    .judge(rules)
    // Of two that ask for one hour at once, one meets the guard of the insertedAs: it is judged again, and then the rule refuses it.
    .decide(({ hour, client }, { now }) => ({
      ...replyJson({ hour }),
      commands: [
        putting(appointments, "BookAppointment", {
          hour,
          clientId: client.clientId,
          bookedAt: now,
          canceledAt: undefined,
          keepUntil: now + week,
        }),
      ],
    })),
)

/** Cancels an appointment of a client. */
export const cancel = ({ hour, clientId }: Appointment, at: number) => happening(appointments, "CancelAppointment", { hour, clientId, at })

/** The feature. The store of its provider is given the kinds of row: `sqliteStores(file, { kinds: rowKindsOf({ features }) })`. */
export const booking: AnyFeature = defineFeature({ name: "appointments", endpoints: () => [book], rows: [appointments] })
