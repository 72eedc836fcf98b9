import { setFlagsFromString } from "node:v8"

/**
 * Keeps the heap as small as what it holds, in this thread and in those that follow. The part for what is new stays at the size that
 * starting has given it: what an answer leaves behind is dead by the next, so more room would hold more of it and save no work. The part
 * for what is old is collected when it has grown by two fifths, not when it is several times as large. 20 MB less under load, as fast.
 *
 * Nothing is made in the part for what is old at once. V8 would begin to do so for a line of code when a hundred objects that it made are in use at one
 * moment, as when many wait for a commit or for a password to be checked, and would not stop. From then on each request would leave a dead object there,
 * which keeps all that it refers to until that part is collected: twice the CPU for an answer.
 */
export const keepHeapSmall = (): void => {
  setFlagsFromString("--semi-space-growth-factor=1")
  setFlagsFromString("--heap-growing-percent=40")
  setFlagsFromString("--no-allocation-site-pretenuring")
}
