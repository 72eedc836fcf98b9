import { signingAlgorithms } from "@postern/core/model"
import { finding } from "../fault.ts"
import { type ConfigRule, configRule } from "../rule.ts"

const day = 86_400

/** The defaults: algorithms, days for which a key signs, and days for which it is published before and after. */
export const signingDefaults = { algorithms: signingAlgorithms, rotationDays: 90, overlapDays: 14 } as const

/** Rules about signing keys. */
export const signingRules: ReadonlyArray<ConfigRule> = [
  configRule("config.signing-overlap", "OpenID Connect Core §10.1.1", ({ config: { signing } }) => {
    const { rotation_days: rotation = signingDefaults.rotationDays, overlap_days: overlap = signingDefaults.overlapDays } = signing ?? {}
    return overlap < rotation
      ? []
      : [
          finding(
            ["signing", signing?.overlap_days === undefined ? "rotation_days" : "overlap_days"],
            `keys are published ${overlap} days before they sign, but sign for ${rotation} days only`,
            "make overlap_days shorter than rotation_days",
          ),
        ]
  }),
  configRule("config.signing-retention", "OpenID Connect Core §10.1.1", ({ config: { signing, lifetimes, clients = [] } }) => {
    const overlap = signing?.overlap_days ?? signingDefaults.overlapDays
    return [[["lifetimes"], lifetimes] as const, ...clients.map((client, at) => [["clients", at], client] as const)].flatMap(
      ([path, stated]) =>
        (["access_token_lifetime", "id_token_lifetime"] as const).flatMap((name) => {
          const lifetime = stated?.[name]
          return lifetime === undefined || lifetime <= overlap * day
            ? []
            : [
                finding(
                  [...path, name],
                  `is longer than the ${overlap} days a key stays published after it signed`,
                  "shorten it, or make signing.overlap_days longer: such tokens could no longer be verified",
                ),
              ]
        }),
    )
  }),
]
