import type { Command } from "@postern/core"
import type { TokenStorePort } from "@postern/core/ports"
import type { Fault } from "./fault.ts"

const stored = (id: string, title: string, paragraph: string, near: ReadonlyArray<string>, change: StoreChange): Fault => ({
  id: `store.${id}`,
  title,
  paragraph,
  near,
  alteration: { options: (options) => ({ ...options, tokens: { ...options.tokens, ...change(options.tokens) } }) },
})

/** A defect of a store. */
type StoreChange = (store: TokenStorePort) => Partial<TokenStorePort>

const others = (commands: ReadonlyArray<Command>, event: string): ReadonlyArray<Command> => commands.filter((each) => each.event !== event)

const without =
  (event: string): StoreChange =>
  (store) => ({ commit: (commands) => store.commit(others(commands, event)) })

/** Retries a conflicting commit without the commands that may have conflicted. */
const careless =
  (event: string): StoreChange =>
  (store) => ({
    commit: async (commands: ReadonlyArray<Command>) => {
      const result = await store.commit(commands)
      return result === "Committed" ? result : store.commit(others(commands, event))
    },
  })

/** Stores that lose data, and stores that lose races. */
export const storeFaults: ReadonlyArray<Fault> = [
  stored("code-kept", "redeems a code again and again", "RFC 6749 §4.1.2", ["code"], without("ConsumeCode")),
  stored("code-race", "redeems a code for everybody who asks at the same time", "RFC 6749 §4.1.2", ["code"], careless("ConsumeCode")),
  stored("refresh-kept", "rotates a refresh token again and again", "RFC 9700 §4.14.2", ["refresh"], without("RotateRefreshToken")),
  stored(
    "refresh-race",
    "gives each of those who ask at the same time another successor",
    "RFC 9700 §4.14.2",
    ["refresh"],
    careless("RotateRefreshToken"),
  ),
  stored("grant-lives", "revokes nothing", "RFC 7009 §2.1", ["revocation", "refresh", "code"], without("RevokeGrant")),
  stored("device-kept", "gives tokens for a device code again and again", "RFC 8628 §3.5", ["device"], without("ConsumeDevice")),
  stored(
    "device-race",
    "gives tokens to everybody who brings a device code at the same time",
    "RFC 8628 §3.5",
    ["device"],
    careless("ConsumeDevice"),
  ),
  stored("result-kept", "gives the result of a CIBA request again and again", "CIBA Core §11", ["ciba"], without("ConsumeAuthentication")),
  stored(
    "result-race",
    "gives the result of a CIBA request to everybody who asks at the same time",
    "CIBA Core §11",
    ["ciba"],
    careless("ConsumeAuthentication"),
  ),
  stored("assertion-kept", "takes an assertion again and again", "RFC 7523 §3", ["client"], without("UseOnce")),
]
