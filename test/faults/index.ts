import { clock } from "./clock.ts"
import { connections } from "./connections.ts"
import { copies } from "./copies.ts"
import { damaged } from "./damaged.ts"
import { full } from "./full.ts"
import { fuzz } from "./fuzz.ts"
import { keys } from "./keys.ts"
import { kill } from "./kill.ts"
import { locked } from "./locked.ts"
import { lostAnswers } from "./lostAnswers.ts"
import { ports } from "./portFailures.ts"
import { power } from "./power.ts"
import { restart } from "./restart.ts"
import { soak } from "./soak.ts"
import { crashes } from "../postgres/crashes.ts"
import { upgrades } from "../postgres/upgrades.ts"
import { rolling } from "./rolling.ts"
import { synced } from "./synced.ts"
import { throughput } from "./throughput.ts"
import { upgrade } from "./upgrade.ts"
import { killWorkers } from "./workers.ts"
import type { Row, Run } from "./row.ts"

/** A fault that can be made. */
export interface Fault {
  readonly what: string
  /** Number of repetitions in a full run, or of minutes. */
  readonly times: number
  readonly run: (run: Run) => Promise<Row>
}

/** Every fault by its name. */
export const faults: ReadonlyMap<string, Fault> = new Map<string, Fault>([
  ["kill", { what: "R1: kill -9 under load", times: 500, run: kill }],
  ["workers", { what: "R1: kill -9 of workers and of their main process under load", times: 100, run: killWorkers }],
  ["synced", { what: "R2: a sync before every answer, traced", times: 1000, run: synced }],
  ["power", { what: "R2: power cuts at any moment of a recorded load", times: 100, run: power }],
  ["lost-answers", { what: "R3: the answer to a rotation is lost", times: 2000, run: lostAnswers }],
  ["full", { what: "R4: the disk is full, then freed; read-only", times: 50, run: full }],
  ["locked", { what: "R5: another process holds the database for 30 s", times: 1, run: locked }],
  ["damaged", { what: "R6: damaged databases at start", times: 40, run: damaged }],
  ["clock", { what: "R7: the clock jumps", times: 5, run: clock }],
  ["keys", { what: "R8: signing keys rotate under load", times: 20, run: keys }],
  ["connections", { what: "R9: 10,000 connections, slow headers, slow bodies", times: 1, run: connections }],
  ["throughput", { what: "R10: how much is served, and four times as much", times: 1, run: throughput }],
  ["soak", { what: "R11: served for so many minutes, everything expiring", times: 120, run: soak }],
  [
    "fuzz",
    {
      what: "R12: requests, byte streams, JWTs, configuration files and command lines that nobody should send",
      times: 1_000_000,
      run: fuzz,
    },
  ],
  ["restart", { what: "R13: rolling restarts of two servers on one database", times: 50, run: restart }],
  ["upgrade", { what: "R14: upgrades killed in the middle, and an older version that meets a newer file", times: 100, run: upgrade }],
  ["backup", { what: "R15: backups under load, restored; and moves", times: 10, run: copies }],
  ["postgres", { what: "R1: PostgreSQL crashes and stops under servers behind nginx", times: 60, run: crashes }],
  ["rolling", { what: "R13: rolling restarts of servers behind nginx on one PostgreSQL", times: 60, run: rolling }],
  ["upgrades", { what: "R14: kill -9 in the middle of PostgreSQL migrations", times: 100, run: upgrades }],
  ["ports", { what: "R16: every port call of the core fails", times: 1, run: ports }],
])
