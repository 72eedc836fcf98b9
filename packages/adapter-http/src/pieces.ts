/** Bytes that arrive piece by piece. */
export interface Pieces {
  /** Adds a piece. */
  readonly add: (piece: Uint8Array) => void
  /** Returns the pieces as one. They are not copied if there was only one. */
  readonly whole: () => Buffer
  /** The number of bytes so far. */
  readonly length: () => number
}

/** The size of the first buffer that is made for several pieces. */
const least = 1024

/**
 * Joins pieces as they arrive. A list of them would take 300 bytes for each, however small it is, and the sender chooses their size: a body of
 * 64 KiB in chunks of one byte took 17 MB.
 */
export const pieces = (): Pieces => {
  let buffer: Buffer = Buffer.alloc(0)
  let length = 0
  return {
    add: (piece) => {
      const longer = length + piece.byteLength
      if (length === 0) {
        buffer = Buffer.isBuffer(piece) ? piece : Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength)
        length = longer
        return
      }
      if (longer > buffer.length) {
        const next = Buffer.allocUnsafeSlow(Math.max(least, longer, 2 * buffer.length))
        buffer.copy(next, 0, 0, length)
        buffer = next
      }
      buffer.set(piece, length)
      length = longer
    },
    whole: () => buffer.subarray(0, length),
    length: () => length,
  }
}
