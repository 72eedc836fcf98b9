/** The sender of a request that causes a lookup. Anybody can cause any number of them. */
export interface Asker {
  /** The address under which it is counted; empty if unknown. */
  readonly address: string
  /** The network of the address, because one party may have thousands of addresses in it. Empty if unknown. */
  readonly network: string
  /** The requested host. */
  readonly host: string
}

/** Slots for lookups, shared fairly so that a sender of many requests cannot take those of others. */
export interface Places {
  /** Takes a slot and returns its release function; undefined if the sender may not take one now. */
  readonly take: (asker: Asker) => (() => void) | undefined
}

/**
 * The maximum number of slots of one sender, as a multiple of the free slots. One address at one host may take as many as are free, so at
 * most half of all; one address three times as many, so three quarters; one network seven times as many, so seven eighths. A sender without
 * a slot gets one while any is free, so that nobody alone can take the last one. Several networks together can take all.
 */
const shares = { network: 7, address: 3, host: 1 }

/** Creates slots with fair shares. */
export const fairPlaces = (most: number): Places => {
  const taken = new Map<string, number>()
  let all = 0
  const count = (name: string, change: 1 | -1): void => {
    const now = (taken.get(name) ?? 0) + change
    if (now === 0) taken.delete(name)
    else taken.set(name, now)
  }
  return {
    take: ({ address, network, host }) => {
      const free = most - all
      const names = [
        [network, shares.network],
        [`${address}\n`, shares.address],
        [`${address}\n${host}`, shares.host],
      ] as const
      if (names.some(([name, share]) => (taken.get(name) ?? 0) >= free * share)) return undefined
      all++
      for (const [name] of names) count(name, 1)
      return () => {
        all--
        for (const [name] of names) count(name, -1)
      }
    },
  }
}

/** Creates slots without shares, for keys that strangers cannot make up. */
export const plainPlaces = (most: number): Places => {
  let all = 0
  return {
    take: () => {
      if (all >= most) return undefined
      all++
      return () => void all--
    },
  }
}
