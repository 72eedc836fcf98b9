import { defaultFeatures, rowKindsOf } from "@postern/core"
import type { TokenStorePort } from "@postern/core/ports"
import { type TokenStoreSubject, committed, conflicts, contractCase, expectSame, rowLifeContract, sampleTime } from "@postern/core/testing"
import { putting } from "@postern/core/model"
import { type Appointment, appointments, booking, cancel } from "../../examples/rows.ts"
import { post } from "./flows.ts"
import { clients, world } from "./world.ts"

/** The features of a provider that keeps appointments. */
export const features = [...defaultFeatures, booking]

/** The kinds of row that its stores keep. */
export const kinds = rowKindsOf({ features })

/** An appointment. */
export const sampleAppointment = (hour: string, told: Partial<Appointment> = {}): Appointment => ({
  hour,
  clientId: "client",
  bookedAt: sampleTime,
  canceledAt: undefined,
  keepUntil: sampleTime + 3600,
  ...told,
})

const saved = (appointment: Appointment) => putting(appointments, "BookAppointment", appointment)

/** Everything that a store does with the rows of a feature. */
export const appointmentContract = [
  ...rowLifeContract(appointments, sampleAppointment("9")),
  contractCase<TokenStoreSubject>("law 13: a row of a feature is read as it was written, and listed in its order", async (subject) => {
    const { store } = subject
    const [early, late] = [sampleAppointment("08"), sampleAppointment("10")]
    await committed(subject, saved(late), saved(early), saved(sampleAppointment("09", { clientId: "other" })))
    expectSame(await store.find(appointments, { hour: "08" }), early, "the row")
    expectSame(await store.list(appointments, "ofClient", { clientId: "client" }), [early, late], "the list")
    await committed(subject, cancel(early, sampleTime))
    expectSame(await store.list(appointments, "ofClient", { clientId: "client" }), [late], "the list without the canceled one")
  }),
  contractCase<TokenStoreSubject>("law 13: a guard of a feature's event is judged in the commit, whole or not at all", async (subject) => {
    const { store } = subject
    await committed(subject, saved(sampleAppointment("08")))
    await conflicts(subject, saved(sampleAppointment("09")), saved(sampleAppointment("08")))
    await conflicts(subject, cancel(sampleAppointment("08", { clientId: "other" }), sampleTime))
    expectSame(await store.find(appointments, { hour: "09" }), undefined, "what went with the conflict")
  }),
  contractCase<TokenStoreSubject>("law 13: rows of a feature are swept when their time is over", async (subject) => {
    const { store, sweep } = subject
    await committed(subject, saved(sampleAppointment("08")), saved(sampleAppointment("09", { keepUntil: sampleTime + 7200 })))
    for (let more = true; more;) ({ more } = await sweep(sampleTime + 3600))
    expectSame(await store.find(appointments, { hour: "08" }), undefined, "the row that leaves")
    expectSame((await store.find(appointments, { hour: "09" }))?.hour, "09", "the row that stays")
  }),
]

/** Answers of a provider on a store: two clients ask for one hour at once, and one of them for it again. */
export const raced = async (tokens: TokenStorePort): Promise<ReadonlyArray<unknown>> => {
  const machine = clients.find(({ client_id }) => client_id === "machine") ?? { client_id: "machine" }
  const w = await world({ tokens, more: { features }, clients: [machine] })
  const ask = () => post(w, "/office/appointments", "machine", { hour: "08" })
  const answers = [...(await Promise.all([ask(), ask()])), await ask()]
  return answers.map(({ status, json }) => JSON.stringify(json?.["error_description"] ?? status)).toSorted((a, b) => a.localeCompare(b))
}
