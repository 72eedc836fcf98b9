import { setFlagsFromString } from "node:v8"

/** The longest time in milliseconds without marking. A first start can hash secrets for minutes. */
const longest = 2000

/**
 * Delays collections of the old generation, from listening until {@link keepHeapSmall} or for two seconds at most. V8 begins the first one after some ten collections of the young generation, however small the heap is: with many clients, in the middle of the start, where marking takes the core from the first responses. Gain: 20 ms of 190 to 230 until the first token with 500 and 5,000 declared clients. Called before the threads of the store have started, it would cost 7 ms, because V8 then doesn't accept the compiled code that Node ships for them.
 */
export const startWithoutMarking = (): void => {
  setFlagsFromString("--no-incremental-marking")
  setTimeout(markAgain, longest).unref()
}

const markAgain = (): void => setFlagsFromString("--incremental-marking")

/**
 * Bounds the heap by its live size, in this thread and in threads started later. The young generation keeps its size after startup. The garbage of a request is dead by the next one, so a larger young generation would hold more garbage and save no work. The old generation is collected when it has grown by two fifths, not when it is several times as large. Gain: 19 MB of 170 after reference tokens, 22 of 165 after full sign-ins, at the same CPU (`node bench/beside.ts`, 60 rounds).
 * Disables direct allocation in the old generation. V8 starts it for an allocation site once a hundred of its objects are live at one moment, as when many requests wait for a commit or a password check, and never stops. Each request would then leave a dead object there, which retains everything that it references until the old generation is collected: up to twice the CPU per response.
 */
export const keepHeapSmall = (): void => {
  markAgain()
  setFlagsFromString("--semi-space-growth-factor=1")
  setFlagsFromString("--heap-growing-percent=40")
  setFlagsFromString("--no-allocation-site-pretenuring")
}
