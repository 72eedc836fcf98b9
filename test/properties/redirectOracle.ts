/**
 * Tells if a redirect_uri may be used, written a second time and another way: by slicing the registered text, where the provider takes both
 * texts apart. Equal by character (RFC 9700 §2.1); for a native client's loopback address the port alone may differ (RFC 8252 §7.3).
 */
export const mayRedirect = (registered: ReadonlyArray<string>, native: boolean, asked: string): boolean =>
  registered.some((uri) => uri === asked || (native && equalButForPort(uri, asked)))

const loopback = /^http:\/\/(?:127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])/

const equalButForPort = (registered: string, asked: string): boolean => {
  const origin = loopback.exec(registered)?.[0]
  if (origin === undefined || !asked.startsWith(origin)) return false
  const [known, sent] = [
    /^(?::\d*)?(.*)$/s.exec(registered.slice(origin.length)),
    /^(?::([1-9]\d{0,4}))?(.*)$/s.exec(asked.slice(origin.length)),
  ]
  const [rest = "", port = "1"] = [sent?.[2], sent?.[1]]
  return rest === known?.[1] && /^(?:[/?]|$)/.test(rest) && Number(port) < 65_536 && !/[^!-~]|[#\\]/.test(rest)
}
