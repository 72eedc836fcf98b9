import type { Requirement } from "../requirement/requirement.ts"
import { requirements } from "./all.ts"
import { ciba } from "./sets/ciba.ts"
import { fapi2 } from "./sets/fapi2.ts"
import { fapi2Ms } from "./sets/fapi2Ms.ts"
import { formPost } from "./sets/formPost.ts"
import type { FrozenSet } from "./sets/frozen.ts"
import { logout } from "./sets/logout.ts"
import { mcp } from "./sets/mcp.ts"
import { mutualTls } from "./sets/mutualTls.ts"
import { oauth21 } from "./sets/oauth21.ts"
import { oidcBasic } from "./sets/oidcBasic.ts"
import { oidcConfig } from "./sets/oidcConfig.ts"
import { oidcDynamic } from "./sets/oidcDynamic.ts"
import { oidcHybrid } from "./sets/oidcHybrid.ts"
import { oidcImplicit } from "./sets/oidcImplicit.ts"
import { oidcLogout } from "./sets/oidcLogout.ts"
import { rfc9396 } from "./sets/rfc9396.ts"
import { rfc9700 } from "./sets/rfc9700.ts"

const all: FrozenSet = { name: "all", title: "Every requirement of this version", ids: requirements.map(({ id }) => id) }

/** The sets that `--requirements` accepts. All but `all` are frozen. */
export const sets: ReadonlyArray<FrozenSet> = [
  all,
  oidcConfig,
  oidcBasic,
  oidcImplicit,
  oidcHybrid,
  oidcDynamic,
  formPost,
  logout,
  oidcLogout,
  oauth21,
  rfc9700,
  mcp,
  fapi2,
  fapi2Ms,
  mutualTls,
  ciba,
  rfc9396,
]

const byId = new Map(requirements.map((each) => [each.id, each]))

/** The requirements of a set; undefined for an unknown set. */
export const requirementsOf = (name: string): ReadonlyArray<Requirement> | undefined =>
  sets.find((each) => each.name === name)?.ids.flatMap((id) => byId.get(id) ?? [])
