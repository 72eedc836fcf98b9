import { X509Certificate } from "node:crypto"
import { readFileSync, statSync } from "node:fs"
import type { Setup } from "../config/setup.ts"
import { span } from "../terminal/amounts.ts"
import { moment } from "../terminal/output.ts"
import { fault, type Observation, ok, warning } from "./observation.ts"

const soon = 14 * 86_400

/** Checks the TLS certificate. The configuration check has already verified that it can be read and matches its key. */
export const checkedTls = ({ tls }: Pick<Setup, "tls">, now: number): ReadonlyArray<Observation> => {
  if (tls === undefined) return []
  const { validFrom, validTo, subject } = new X509Certificate(readFileSync(tls.cert))
  const [from, to] = [Date.parse(validFrom) / 1000, Date.parse(validTo) / 1000]
  const readByOthers = (statSync(tls.key).mode & 0o077) !== 0
  const name = subject?.replaceAll("\n", ", ") ?? tls.cert
  return [
    now < from
      ? fault(
          "tls.certificate",
          `${name} is not valid before ${moment(from)}`,
          "check the clock, or install a certificate that is valid now",
        )
      : now >= to
        ? fault("tls.certificate", `${name} expired ${moment(to)}`, `renew it into ${tls.cert}; the provider loads it without a restart`)
        : to - now < soon
          ? warning(
              "tls.certificate",
              `${name} expires in ${span(to - now)}`,
              `renew it into ${tls.cert}; the provider loads it without a restart`,
            )
          : ok("tls.certificate", `${name} is valid until ${moment(to)}`),
    ...(readByOthers ? [warning("tls.key", `users other than its owner can read ${tls.key}`, `chmod 600 ${tls.key}`)] : []),
  ]
}
