/** Reports whether an address uses plain HTTP on the loopback interface. */
export const isLoopback = (url: URL): boolean => url.protocol === "http:" && /^(?:127\.0\.0\.1|localhost|\[::1\])$/.test(url.hostname)
