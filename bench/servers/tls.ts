import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"

/** A certificate for localhost with its key. */
export interface Tls {
  readonly keyFile: string
  readonly certificateFile: string
  /** In PEM. */
  readonly certificate: string
}

const kind = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"]

/** Makes a key of P-256 and a certificate that it signs itself, in a folder. */
export const selfSigned = (folder: string): Tls => {
  const [keyFile, certificateFile] = [join(folder, "key.pem"), join(folder, "certificate.pem")]
  const name = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]
  execFileSync("openssl", ["req", "-x509", ...kind, ...name, "-keyout", keyFile, "-out", certificateFile], { stdio: "ignore" })
  return { keyFile, certificateFile, certificate: readFileSync(certificateFile, "utf8") }
}
