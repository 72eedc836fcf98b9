import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { cpuOf, memoryOf } from "./accounts.ts"
import type { Conversation } from "./conversation.ts"
import { type Link, type Place, wire } from "./wire.ts"

/** Result of a round. Times in milliseconds, CPU in microseconds of all the server's threads. */
export interface Round {
  readonly operations: number
  readonly perSecond: number
  readonly cpu: number
  /** CPU of the database's processes, where it has any. */
  readonly database?: number
  readonly p50: number
  readonly p95: number
  readonly p99: number
  readonly longest: number
  /** Connections that were lost before an answer. */
  readonly errors: number
  /** Resident memory at the end, in MB. */
  readonly memory: number
  /** Share of its core that the load itself took, from 0 to 1. */
  readonly generator: number
}

/** The load on one server. */
export interface Load {
  /** Addresses of the load: connections take the places in turn. */
  readonly places: ReadonlyArray<Place>
  /** Life of its connections; `kept` when not given. */
  readonly link?: Link | undefined
  /** Processes whose CPU counts: one, or several that serve together. */
  readonly pids: ReadonlyArray<number>
  /** The processes of the database behind it, those of open connections too. */
  readonly database?: (() => ReadonlyArray<number>) | undefined
  /** For each connection, where its next operation comes from; undefined when there are no more. */
  readonly operations: ReadonlyArray<() => Conversation | undefined>
  readonly seconds: number
  /** Operations a second in all, sent when they are due whether or not the last was answered in time; as many as there can be when not given. */
  readonly perSecond?: number | undefined
}

const lossesMost = 20

setFlagsFromString("--expose-gc")
/** Collects what the load has left behind: in the middle of a round it would be late by tens of milliseconds, and no server's fault. */
const collect: () => void = runInNewContext("gc")

/** Numbers outside of the heap, as many as come. */
const numbers = (): { readonly push: (value: number) => void; readonly all: () => Float64Array } => {
  let room = new Float64Array(65_536)
  let count = 0
  return {
    push: (value) => {
      if (count === room.length) {
        const larger = new Float64Array(2 * room.length)
        larger.set(room)
        room = larger
      }
      room[count++] = value
    },
    all: () => room.subarray(0, count),
  }
}

/** Runs a load and measures it. Fails with what the first wrong answer was. */
export const measure = async ({ places, link, pids, database, operations, seconds, perSecond }: Load): Promise<Round> => {
  const times = numbers()
  let errors = 0
  collect()
  const cpu = (of: ReadonlyArray<number>): number => of.reduce((sum, pid) => sum + cpuOf(pid), 0)
  const [before, stored, own, began] = [cpu(pids), cpu(database?.() ?? []), process.cpuUsage(), performance.now()]
  const until = began + seconds * 1000
  const every = perSecond === undefined ? 0 : (1000 * operations.length) / perSecond

  await Promise.all(
    operations.map(
      (nextOperation, at) =>
        new Promise<void>((resolve, reject) => {
          const place = places[at % places.length]
          if (place === undefined) return reject(new Error("a load goes nowhere"))
          const connection = wire(place, link)
          let due = began + (every * at) / operations.length
          const end = (error?: Error): void => {
            connection.close()
            if (error === undefined) resolve()
            else reject(error)
          }
          const begin = (): void => {
            const now = performance.now()
            if (Math.max(now, due) >= until) return end()
            // Timers are late by a millisecond or two: what is due is counted from when it was due.
            if (every > 0 && now < due) return void setTimeout(begin, due - now)
            const operation = nextOperation()
            if (operation === undefined) return end()
            const sent = every > 0 ? due : now
            due += every
            const step = (move: () => IteratorResult<string, void>): void => {
              let said: IteratorResult<string, void>
              try {
                said = move()
              } catch (error) {
                return end(error instanceof Error ? error : new Error(String(error)))
              }
              if (said.done === true) {
                times.push(performance.now() - sent)
                return begin()
              }
              connection.send(
                said.value,
                (answer) => step(() => operation.next(answer)),
                (error) => (++errors > lossesMost ? end(error) : begin()),
              )
            }
            step(() => operation.next())
          }
          begin()
        }),
    ),
  )
  const took = performance.now() - began
  const { user, system } = process.cpuUsage(own)
  const spent = cpu(pids) - before
  const behind = cpu(database?.() ?? []) - stored
  const sorted = times.all().sort()
  const quantile = (part: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0
  return {
    operations: sorted.length,
    perSecond: (sorted.length / took) * 1000,
    cpu: spent / sorted.length,
    ...(database === undefined ? {} : { database: behind / sorted.length }),
    p50: quantile(0.5),
    p95: quantile(0.95),
    p99: quantile(0.99),
    longest: quantile(1),
    errors,
    memory: pids.reduce((sum, pid) => sum + memoryOf(pid), 0),
    generator: (user + system) / (took * 1000),
  }
}

/** Holds one conversation outside of any measurement. */
export const hold = (place: Place, conversation: Conversation): Promise<void> =>
  new Promise((resolve, reject) => {
    const connection = wire(place)
    const end = (error?: unknown): void => {
      connection.close()
      if (error === undefined) resolve()
      else reject(error instanceof Error ? error : new Error("a conversation failed"))
    }
    const step = (move: () => IteratorResult<string, void>): void => {
      try {
        const said = move()
        if (said.done === true) end()
        else connection.send(said.value, (answer) => step(() => conversation.next(answer)), end)
      } catch (error) {
        end(error)
      }
    }
    step(() => conversation.next())
  })
