/** The caller behind a lookup: strangers cause as many as they like. */
export interface Asker {
  /** The address that it is counted by; empty where it is not known. */
  readonly address: string
  /** The network of the address, which may be one holder's: strangers have thousands of addresses. Empty where it is not known. */
  readonly network: string
  /** The host that it asked. */
  readonly host: string
}

/** Places for lookups, which whoever asks for many cannot take from others. */
export interface Places {
  /** Takes a place and returns the function that gives it back; undefined where the asker may take none now. */
  readonly take: (asker: Asker) => (() => void) | undefined
}

/**
 * The number of places that askers may take, as a multiple of those that are free: one address at one host no more than are left, so half of all at most; one address no
 * more than three times as many, so three quarters; one network no more than seven times as many, so seven eighths. Whoever holds none finds one while any is free, so
 * nobody alone takes the last; several networks together can take all.
 */
const shares = { network: 7, address: 3, host: 1 }

/** Places, all of them free. */
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

/** Places that nobody but the keys of them all is known to ask for. */
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
