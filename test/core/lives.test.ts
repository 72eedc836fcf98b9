import {
  approveDevice,
  type Command,
  consumeDevice,
  denyDevice,
  type Device,
  devices,
  pollDevice,
  rowKinds,
  rowPut,
} from "@postern/core/model"
import { sampleDevice, sampleLocator, sampleTime } from "@postern/core/testing"
import { describe, expect, it } from "vitest"

const life = devices.life ?? { states: {}, moves: {} }
const states = Object.keys(life.states) as ReadonlyArray<Device["state"]>
const moves: Readonly<Record<string, (device: Device) => Command>> = {
  PollDevice: (device) => pollDevice(device, sampleTime + 5, 10),
  ApproveDevice: (device) => approveDevice(device, sampleLocator(2)),
  DenyDevice: denyDevice,
  ConsumeDevice: consumeDevice,
}

describe("lives of rows are transition tables (architecture law 13)", () => {
  it("every event of a row that has a life has its moves, or finds its rows otherwise than by their key", () => {
    for (const { name, life: own, events } of rowKinds) {
      if (own === undefined) continue
      const byKey = Object.keys(events).filter((event) => events[event]?.by === undefined)
      expect([name, byKey.filter((event) => own.moves[event] === undefined)]).toEqual([name, []])
      const told = Object.values(own.moves).flatMap((move) => Object.entries(move).flat())
      expect(told.filter((state) => state !== "none" && own.states[state] === undefined)).toEqual([])
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
      const to = life.moves[move]?.[from]
      const go = () => moves[move]?.(device)
      if (to === undefined) expect(go).toThrow(`a device that is ${from} takes no ${move}`)
      else {
        const command = go()
        expect(command && rowPut(devices, command)).toMatchObject({ state: to, version: device.version + 1 })
      }
    },
  )
})
