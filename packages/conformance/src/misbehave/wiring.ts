import type { Provider } from "@postern/core"
import type { SigningKey } from "@postern/core/jose"
import type { Report } from "../run/result.ts"
import { misbehaviorOf } from "./catalog.ts"
import { type ChoiceOptions, UnknownFault, openChoice, unknownFault } from "./choice.ts"
import { openForge } from "./forge.ts"
import { Ledger, type Score } from "./ledger.ts"
import { CannotSignOut, sendLogoutTokens } from "./logouts.ts"
import { type KnownClient, type MisbehavingProvider, type Parts, misbehaving } from "./misbehaving.ts"
import type { Misbehavior } from "./misbehavior.ts"
import { reportOf } from "./report.ts"
import { type ScriptLine, ScriptRefused, openScript, scriptOf } from "./script.ts"

/** The selection of faults, and their delivery. */
export interface Faulty extends ChoiceOptions {
  /** The ids of faults and names of presets; all faults by default. With a single id, the issuer itself has the fault for every request. */
  readonly faults?: ReadonlyArray<string> | undefined
  /** The misbehavior of a client at the plain issuer, by client_id. */
  readonly byClient?: Readonly<Record<string, string>> | undefined
  /** The seed of the preset `chaos`; random by default. */
  readonly seed?: number | undefined
  /** Faults for the nth response of a kind. */
  readonly script?: ReadonlyArray<ScriptLine> | undefined
  /** Milliseconds of delay of slow responses; 40,000 by default. */
  readonly patience?: number | undefined
}

/** The state that all issuers with faults share. */
export interface Wiring {
  readonly offered: ReadonlyArray<Misbehavior>
  /** The seed of the preset `chaos`; undefined without it. */
  readonly seed: number | undefined
  /**
   * Changes the responses of an issuer by the selected faults, or always with one fault. `undefined` leaves them correct, and only
   * observes.
   */
  readonly wrap: (
    provider: Pick<Provider, "handle">,
    place: Pick<Parts, "issuer" | "other" | "plain">,
    always?: { readonly misbehavior: Misbehavior | undefined },
  ) => MisbehavingProvider
  readonly told: (id: string, client: string, signedIn: boolean) => void
  readonly signOut: (client: string) => Promise<void>
  readonly scores: () => ReadonlyArray<Score>
  readonly report: () => Report
}

/**
 * Creates the wiring. Rejects with `UnknownFault` for an unknown id, with `ScriptRefused` for a script that is invalid or names an unknown
 * client, and with a `TypeError` if `byClient` names an unknown client.
 */
export const openWiring = async (
  options: Faulty,
  {
    keys,
    clients,
    now,
  }: { readonly keys: () => ReadonlyArray<SigningKey>; readonly clients: ReadonlyArray<KnownClient>; readonly now: () => number },
): Promise<Wiring> => {
  const ids = clients.map(({ client_id }) => client_id)
  const script = scriptOf(options.script ?? [], misbehaviorOf)
  const stranger = script.find(({ client }) => client !== undefined && !ids.includes(client))?.client
  if (stranger !== undefined) throw new ScriptRefused(`the script names the client "${stranger}", which there is not`)
  const unknown = Object.keys(options.byClient ?? {}).find((each) => !ids.includes(each))
  if (unknown !== undefined) throw new TypeError(`there is no client "${unknown}"`)
  const { offered, seed, chosen, missing } = openChoice({ ...options, script })
  const inScript = openScript(script)
  const forge = await openForge(now(), keys)
  const ledger = new Ledger()
  const startedAt = new Date()
  const idTokens = new Map<string, string>()
  const scores = () => ledger.scores(offered, ids)
  return {
    offered,
    seed,
    wrap: (provider, place, always) =>
      misbehaving({
        ...place,
        provider,
        forge,
        clients,
        ledger,
        chosen: always === undefined ? chosen : () => always.misbehavior,
        missing,
        scripted: (on, client) => {
          const id = always === undefined ? inScript(on, client) : undefined
          return id === undefined ? undefined : misbehaviorOf(id)
        },
        onIdToken: (client, jwt) => void idTokens.set(client, jwt),
        patience: options.patience ?? 40_000,
        now,
      }),
    told: (id, client, signedIn) => {
      if (!offered.some((each) => each.id === id)) throw new UnknownFault(unknownFault(id))
      ledger.add(id, client, { kind: "told", signedIn })
    },
    signOut: async (id) => {
      const client = clients.find(({ client_id }) => client_id === id)
      if (client === undefined) throw new CannotSignOut(`there is no client "${id}"`)
      await sendLogoutTokens({ client, idToken: idTokens.get(id), offered, forge, ledger, now: now() })
    },
    scores,
    report: () => reportOf(scores(), startedAt),
  }
}
