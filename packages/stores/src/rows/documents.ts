import type { Device, Interaction } from "@postern/core/model"

/** Rows that change as a whole and by their version alone, so that they are kept as one JSON text. */
export interface Document<Row> {
  readonly write: (row: Row) => string
  readonly read: (content: string) => Row
}

/** JSON leaves members out that are undefined; `absent` names them. What is read was written here from a Row, and by nobody else. */
const document = <Row>(absent: Partial<Row>): Document<Row> => ({
  write: (row) => JSON.stringify(row),
  read: (content) => ({ ...absent, ...JSON.parse(content) }) as Row,
})

/** Waiting requests. */
export const interactionDocument = document<Interaction>({
  hint: undefined,
  signedInAt: undefined,
  subject: undefined,
  consented: undefined,
  finishedAt: undefined,
})

/** Devices that wait for a person. */
export const deviceDocument = document<Device>({ polledAt: undefined, grantId: undefined })
