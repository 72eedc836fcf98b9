import encodeQR from "qr"

/** A QR code as an SVG path in a square of `size` units, including its quiet zone of four. */
export interface QrPath {
  readonly size: number
  readonly path: string
}

/** Encodes a text as a QR code (ISO/IEC 18004). The lowest level of error correction suffices on a clean screen. */
export const qrPath = (text: string): QrPath => {
  const rows = encodeQR(text, "raw", { ecc: "medium", border: 4 })
  const path = rows.flatMap((row, y) => row.flatMap((dark, x) => (dark ? [`M${x} ${y}h1v1h-1z`] : []))).join("")
  return { size: rows.length, path }
}
