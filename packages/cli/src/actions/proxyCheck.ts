import { createHash } from "node:crypto"
import type { ProxyReport } from "@postern/adapter-http"
import { messageOf } from "@postern/core/model"
import { promised } from "../action.ts"
import { failed, misused, unreachable } from "../failure.ts"
import { say, sayJson } from "../terminal/output.ts"
import { type Forgery, forgedAddress, forgedThumbprint, forgeries } from "./forgeries.ts"

/** The parameters of `postern proxy-check`. */
export interface ProxyCheckCall {
  readonly url: string
  readonly json: boolean
}

/** A forged header field, and its state on arrival. */
interface Reached {
  readonly field: string
  readonly form: string
  readonly came: "removed" | "replaced" | "as sent"
  /** True if the server reads this field of requests that the proxy sends. */
  readonly read: boolean
}

const digest = (text: string): string => createHash("sha256").update(text).digest("base64url")

const isReport = (value: unknown): value is ProxyReport =>
  typeof value === "object" && value !== null && "fields" in value && "certificate" in value && "address" in value && "read" in value

const sent = async (url: URL, headers: Readonly<Record<string, string>>): Promise<ProxyReport> => {
  let answer: Response
  try {
    answer = await fetch(url, { headers, redirect: "manual", signal: AbortSignal.timeout(10_000) })
  } catch (error) {
    throw unreachable(`${url.origin} cannot be reached: ${messageOf(error)}`, "check the URL, and that the server runs")
  }
  const read: unknown = answer.status === 200 ? await answer.json().catch(() => undefined) : undefined
  if (!isReport(read))
    throw failed(
      `${url.href} answered ${answer.status} and no report`,
      "set mutual_tls.proxy_check to true, restart the server, and remove the setting after the check",
    )
  return read
}

/** Reports whether the server took the forged address for the caller's. */
const isAddressBelieved = ({ address }: ProxyReport): boolean => address === digest(forgedAddress)

const reachedIn = ({ form, fields }: Forgery, report: ProxyReport): ReadonlyArray<Reached> =>
  Object.entries(fields).map(([field, value]) => {
    const came = report.fields[field]
    return {
      field,
      form,
      came: came === undefined ? "removed" : came === digest(value) ? "as sent" : "replaced",
      // The field of an address counts by the result, because a proxy may add to it.
      read: report.read.includes(field) || (form === "address" && isAddressBelieved(report)),
    }
  })

/** The states of a field on arrival, the worst last. */
const grades: ReadonlyArray<Reached["came"]> = ["removed", "replaced", "as sent"]

/** Reduces the results to one for each field of each format, the worst. */
const worst = (all: ReadonlyArray<Reached>): ReadonlyArray<Reached> => {
  const found = new Map<string, Reached>()
  for (const each of all) {
    const name = `${each.form} ${each.field}`
    const before = found.get(name)
    if (before === undefined || grades.indexOf(each.came) > grades.indexOf(before.came)) found.set(name, each)
  }
  return [...found.values()]
}

/** Reports whether the server reads a field as its caller wrote it. */
const isOpen = ({ came, read }: Reached): boolean => read && came === "as sent"

const told = ({ came, read }: Reached): string =>
  came === "as sent" ? `reached the server as it was sent${read ? ", which READS it" : ", which does not read it"}` : came

/**
 * Sends forged headers through the public URL, each field of a format alone and all of a format together, and reports those that reached
 * the server. Fails with 1 if a forged certificate or address was believed, or if a field that the server reads arrived unchanged, because
 * it would count for a caller that presents a certificate.
 */
export const checkProxy = promised(async ({ url, json }: ProxyCheckCall) => {
  if (!/^https?:\/\//.test(url) || !URL.canParse(url))
    throw misused(`${url} is no http or https URL`, "give the public URL: https://id.example.com")
  const place = new URL("/health/proxy", url)
  const reports: Array<readonly [Forgery, ProxyReport]> = []
  for (const forgery of forgeries) reports.push([forgery, await sent(place, forgery.fields)])
  const reached = worst(reports.flatMap(([forgery, report]) => reachedIn(forgery, report)))
  const open = reached.filter(isOpen)
  const believed = {
    certificate: reports.some(([, { certificate }]) => certificate === forgedThumbprint),
    address: reports.some(([, report]) => isAddressBelieved(report)),
  }
  if (json) sayJson({ url, fields: reached, believed })
  else {
    const named = ({ field, form }: Reached): string => `${field} (${form})`
    const width = Math.max(...reached.map((each) => named(each).length))
    for (const each of reached) say(`${named(each).padEnd(width)}  ${told(each)}`)
    say()
    say(`forged certificate: ${believed.certificate ? "BELIEVED" : "not believed"}`)
    say(`forged address:     ${believed.address ? "BELIEVED" : "not believed"}`)
  }
  if (!believed.certificate && !believed.address && open.length === 0) return
  throw failed(
    open.length > 0
      ? `the server trusts headers that callers wrote: ${[...new Set(open.map(({ field }) => field))].join(", ")}`
      : "a forged header was trusted",
    "configure the proxy to delete these fields from requests before it sets its own; docs/operating.md shows how",
  )
})
