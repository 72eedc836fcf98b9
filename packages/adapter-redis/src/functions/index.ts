import { beside } from "./beside.ts"
import { commit } from "./commit.ts"
import { reads } from "./reads.ts"
import { rows } from "./rows.ts"
import { world } from "./world.ts"

/** The Lua functions that the store runs in Redis. They interpret the descriptions of the kinds of row, which precede them as `kinds`. */
export const functions = [rows, world, commit, reads, beside].join("")
