/**
 * Text that waits to be written, as UTF-8 outside of the heap. As strings it would live just long enough to be taken for old, and what is old
 * is collected seldom and at a price: all that is alive is looked at then.
 */
export interface WaitingText {
  readonly add: (text: string) => void
  /** Bytes that wait. */
  readonly length: () => number
  /** All that waits, which waits no longer. */
  readonly take: () => Uint8Array
  /** Told that nobody reads what was taken last any more: it is written over. */
  readonly giveBack: () => void
}

/** Text that waits; room for so many bytes is kept, and more is made when it is needed. */
export const waitingText = (room: number): WaitingText => {
  let filling: Buffer = Buffer.allocUnsafeSlow(room)
  let used = 0
  let taken: Buffer | undefined
  let spare: Buffer | undefined

  const grow = (bytes: number): void => {
    const larger = Buffer.allocUnsafeSlow(2 * Math.max(filling.length, bytes))
    filling.copy(larger, 0, 0, used)
    filling = larger
  }
  return {
    add: (text) => {
      // A character takes three bytes at most; only where that is too much are they counted.
      if (used + 3 * text.length > filling.length) {
        const bytes = used + Buffer.byteLength(text)
        if (bytes > filling.length) grow(bytes)
      }
      used += filling.write(text, used)
    },
    length: () => used,
    take: () => {
      const whole = filling.subarray(0, used)
      taken = filling
      filling = spare ?? Buffer.allocUnsafeSlow(room)
      spare = undefined
      used = 0
      return whole
    },
    giveBack: () => {
      if (taken?.length === room) spare = taken
      taken = undefined
    },
  }
}
