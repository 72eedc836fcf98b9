import {
  type Command,
  type Device,
  deviceAnswers,
  devices,
  finishRequest,
  finishUpstream,
  interactions,
  noteAnswer,
  rowKinds,
  rowPut,
  stateOf,
  usePushedRequest,
} from "@postern/core/model"
import { sampleDevice, sampleInteractions, sampleLocator, sampleTime } from "@postern/core/testing"
import { describe, expect, it } from "vitest"

const states = Object.keys(devices.states ?? {}) as ReadonlyArray<Device["state"]>
const moves: Readonly<Record<string, (device: Device) => Command>> = {
  PollDevice: (device) => deviceAnswers.poll(device, sampleTime + 5, 10),
  HurryDevice: (device) => deviceAnswers.hurry(device, sampleTime + 5, 15),
  ApproveDevice: (device) => deviceAnswers.approve(device, sampleLocator(2)),
  DenyDevice: deviceAnswers.deny,
  ConsumeDevice: deviceAnswers.consume,
}

// Types keep most of the illegal ones out: here they are made all the same.
const steps: Readonly<Record<string, (row: never) => Command>> = {
  NoteAnswer: noteAnswer,
  FinishRequest: (row) => finishRequest(row, sampleTime + 5, { outcome: "granted", subject: "sub-alice" }),
  FinishUpstream: (row) => finishUpstream(row, sampleTime + 5),
  UsePushedRequest: (row) => usePushedRequest(row, sampleLocator(2), sampleTime + 5),
}

describe("lives of rows are transition tables (architecture law 13)", () => {
  it("every event of a row that has a life has its moves, or finds its rows otherwise than by their key", () => {
    for (const { name, states: own, events } of rowKinds) {
      if (own === undefined) continue
      const byKey = Object.keys(events).filter((event) => events[event]?.by === undefined)
      expect([name, byKey.filter((event) => events[event]?.moves === undefined)]).toEqual([name, []])
      const told = Object.values(events).flatMap(({ moves = {} }) => Object.entries(moves).flat())
      expect(told.filter((state) => state !== "none" && own[state] === undefined)).toEqual([])
    }
  })

  it("no two kinds of row have an event of one name", () => {
    const names = rowKinds.flatMap(({ events }) => Object.keys(events))
    expect(new Set(names).size).toBe(names.length)
  })

  it.each(states.flatMap((from) => Object.keys(moves).map((move) => [from, move] as const)))(
    "a device that is %s goes where its life says at %s, or nowhere (RFC 8628 §3.5)",
    (from, move) => {
      const device = sampleDevice(1, { state: from })
      const to = devices.events[move]?.moves?.[from]
      const go = () => moves[move]?.(device)
      if (to === undefined) expect(go).toThrow(`a device that is ${from} takes no ${move}`)
      else {
        const command = go()
        expect(command && rowPut(devices, command)).toMatchObject({ state: to, version: device.version + 1 })
      }
    },
  )

  it.each(Object.keys(sampleInteractions).flatMap((from) => Object.keys(steps).map((step) => [from, step] as const)))(
    "an interaction that is %s goes where its life says at %s, or nowhere (RFC 6749 §4.1.2, RFC 9126 §4)",
    (from, step) => {
      const row = sampleInteractions[from]
      const to = interactions.events[step]?.moves?.[from]
      const go = () => steps[step]?.(row as never)
      if (to === undefined) return expect(go).toThrow(`an interaction that is ${from} takes no ${step}`)
      const command = go()
      const next = command && rowPut(interactions, command)
      expect([next?.version, next && stateOf(interactions, next)]).toEqual([2, to])
    },
  )
})
