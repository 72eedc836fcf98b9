import { type Report, counted } from "../run/result.ts"

/** Renders the report as JSON. `schema/report.schema.json` describes it. */
export const jsonReport = (report: Report): string =>
  `${JSON.stringify({ ...report, counts: counted(report), note: notice }, undefined, 2)}\n`

/** The disclaimer in every report. */
export const notice = "A report of tests. It is no certificate: the OpenID Foundation alone certifies."
