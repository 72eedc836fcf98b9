/** Reports whether an address is plain HTTP on this machine alone. */
export const isLoopback = (url: URL): boolean => url.protocol === "http:" && /^(?:127\.0\.0\.1|localhost|\[::1\])$/.test(url.hostname)
