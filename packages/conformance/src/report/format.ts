import type { Report } from "../run/result.ts"
import { html } from "./html.ts"
import { jsonReport } from "./json.ts"
import { junit } from "./junit.ts"
import { markdown } from "./markdown.ts"
import { sarif } from "./sarif.ts"
import { tap } from "./tap.ts"

/** The report formats by name. Each renders a report as text. */
export const formats = { junit, sarif, tap, json: jsonReport, html, markdown } as const satisfies Readonly<
  Record<string, (report: Report) => string>
>

/** The name of a format. */
export type FormatName = keyof typeof formats
