import encodeQR from "qr"

/** A QR code as an SVG path in a square of `size` units, its quiet zone of four included. */
export interface QrPath {
  readonly size: number
  readonly path: string
}

/** Draws a text as a QR code (ISO/IEC 18004); a screen is clean, so the lowest of correction that cameras read well will do. */
export const qrPath = (text: string): QrPath => {
  const rows = encodeQR(text, "raw", { ecc: "medium", border: 4 })
  const path = rows.flatMap((row, y) => row.flatMap((dark, x) => (dark ? [`M${x} ${y}h1v1h-1z`] : []))).join("")
  return { size: rows.length, path }
}
