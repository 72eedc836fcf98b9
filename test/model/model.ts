import {
  type AccessModel,
  type GrantModel,
  type Name,
  type Operation,
  type Outcome,
  type RefreshModel,
  type State,
  clientModels,
} from "./state.ts"

/**
 * The lives of codes and tokens, told once more and one after the other: no stores, no commands, no races. What the provider answers must be
 * what this answers, whatever the order of things; of things at once, what it answers to some order of them.
 */

/** State change and answer of an operation. */
export interface Step {
  readonly state: State
  readonly outcome: Outcome
}

type Do<Tag extends Operation["tag"]> = (state: State, operation: Extract<Operation, { readonly tag: Tag }>) => Step

const done: Outcome = { tag: "done" }
const invalidGrant: Outcome = { tag: "refused", status: 400, error: "invalid_grant" }
const refuse = (state: State, outcome: Outcome = invalidGrant): Step => ({ state, outcome })

/** The record at a name that is known to be there. */
export const at = <A>(records: Readonly<Record<Name, A>>, name: Name): A => {
  const found = records[name]
  if (found === undefined) throw new Error(`the model has no ${name}`)
  return found
}

const each = <A>(records: Readonly<Record<Name, A>>, change: (record: A) => A): Record<Name, A> =>
  Object.fromEntries(Object.entries(records).map(([name, record]) => [name, change(record)]))

const revokeGrants = (state: State, which: (grant: GrantModel) => boolean): State => ({
  ...state,
  grants: each(state.grants, (grant) => (which(grant) ? { ...grant, revoked: true } : grant)),
})
const revoke = (state: State, name: Name): State => ({
  ...state,
  grants: { ...state.grants, [name]: { ...at(state.grants, name), revoked: true } },
})

const nearer = (sliding: number, absolute: number): number => (absolute === 0 ? sliding : Math.min(sliding, absolute))

/** Adds an access token, named after the operation that made it. */
const withAccess = (state: State, id: number, grant: Name, scope: ReadonlyArray<string>): State => {
  const { access } = clientModels[at(state.grants, grant).client]
  return {
    ...state,
    access: { ...state.access, [`a${id}`]: { grant, scope, expiresAt: state.now + access, revoked: false, swept: false } },
  }
}

const grant: Do<"grant"> = (state, { id, client, scope }) => {
  const { code, access } = clientModels[client]
  const expiresAt = state.now + code
  const grants = { ...state.grants, [`g${id}`]: { client, scope, session: state.session, revoked: false } }
  const codes = { ...state.codes, [`c${id}`]: { grant: `g${id}`, expiresAt, used: false, swept: false, keepUntil: expiresAt + access } }
  return { state: { ...state, grants, codes }, outcome: { tag: "code", code: `c${id}` } }
}

const redeem: Do<"redeem"> = (state, { id, code: name, client, proof }) => {
  const code = at(state.codes, name)
  const granted = at(state.grants, code.grant)
  if (granted.client !== client) return refuse(state)
  if (code.used) return refuse(revoke(state, code.grant))
  if (state.now >= code.expiresAt || granted.revoked || proof !== "right" || !state.active) return refuse(state)
  const { sliding, absolute } = clientModels[client]
  const end = absolute === 0 ? 0 : state.now + absolute
  const offline = granted.scope.includes("offline_access")
  // A replay must find what to revoke, for as long as the refresh token that the code makes.
  const keepUntil = offline ? Math.max(code.keepUntil, nearer(state.now + sliding, end), end) : code.keepUntil
  const codes = { ...state.codes, [name]: { ...code, used: true, keepUntil } }
  const used = withAccess({ ...state, codes }, id, code.grant, granted.scope)
  if (!offline) return { state: used, outcome: { tag: "tokens", access: `a${id}`, refresh: undefined, scope: granted.scope } }
  const token: RefreshModel = {
    grant: code.grant,
    scope: granted.scope,
    expiresAt: nearer(state.now + sliding, end),
    absolute: end,
    rotatedAt: undefined,
    successor: undefined,
    swept: false,
  }
  return {
    state: { ...used, refresh: { ...used.refresh, [`r${id}`]: token } },
    outcome: { tag: "tokens", access: `a${id}`, refresh: `r${id}`, scope: granted.scope },
  }
}

const refresh: Do<"refresh"> = (state, { id, token: name, client, scope: asked }) => {
  const token = at(state.refresh, name)
  const granted = at(state.grants, token.grant)
  const { sliding, grace } = clientModels[granted.client]
  if (granted.client !== client || granted.revoked) return refuse(state)
  // A successor that was used is proof that the answer to the rotation was not lost.
  const next = token.successor === undefined ? undefined : state.refresh[token.successor]
  const inGrace = token.rotatedAt !== undefined && state.now < token.rotatedAt + grace && next !== undefined && next.rotatedAt === undefined
  if (token.rotatedAt !== undefined && !inGrace) return refuse(revoke(state, token.grant))
  if (state.now >= token.expiresAt && !inGrace) return refuse(state)
  const scope = asked ?? token.scope
  if (scope.some((word) => !token.scope.includes(word))) return refuse(state, { tag: "refused", status: 400, error: "invalid_scope" })
  if (!state.active) return refuse(state)
  const given = withAccess(state, id, token.grant, scope)
  const successor = token.successor ?? `r${id}`
  const outcome: Outcome = { tag: "tokens", access: `a${id}`, refresh: successor, scope }
  if (token.rotatedAt !== undefined) return { state: given, outcome }
  const made: RefreshModel = { ...token, expiresAt: nearer(state.now + sliding, token.absolute) }
  return {
    state: { ...given, refresh: { ...given.refresh, [name]: { ...token, rotatedAt: state.now, successor }, [successor]: made } },
    outcome,
  }
}

const revokeToken: Do<"revoke"> = (state, { token: name, client }) => {
  const access = state.access[name]
  if (access === undefined) {
    const { grant: family } = at(state.refresh, name)
    return { state: at(state.grants, family).client === client ? revoke(state, family) : state, outcome: done }
  }
  const owner = at(state.grants, access.grant).client
  if (clientModels[owner].jwt) return refuse(state, { tag: "refused", status: 400, error: "unsupported_token_type" })
  if (owner !== client) return { state, outcome: done }
  return { state: { ...state, access: { ...state.access, [name]: { ...access, revoked: true } } }, outcome: done }
}

const isLive = (state: State, { grant: family, expiresAt }: AccessModel | RefreshModel): boolean =>
  state.now < expiresAt && state.active && !at(state.grants, family).revoked

/** Tells if a token works for its own client. */
export const works = (state: State, name: Name): boolean => {
  const access = state.access[name]
  if (access !== undefined) return isLive(state, access) && !access.revoked
  const token = at(state.refresh, name)
  return isLive(state, token) && token.rotatedAt === undefined
}

const introspect: Do<"introspect"> = (state, { token, client }) => {
  const { grant: family } = state.access[token] ?? at(state.refresh, token)
  return { state, outcome: { tag: "active", active: at(state.grants, family).client === client && works(state, token) } }
}

const userinfo: Do<"userinfo"> = (state, { token: name }) => {
  const token = at(state.access, name)
  const dead = state.now >= token.expiresAt || token.revoked || at(state.grants, token.grant).revoked
  if (dead) return refuse(state, { tag: "refused", status: 401, error: "invalid_token" })
  if (!token.scope.includes("openid")) return refuse(state, { tag: "refused", status: 403, error: "insufficient_scope" })
  return state.active ? { state, outcome: { tag: "claims" } } : refuse(state, { tag: "refused", status: 401, error: "invalid_token" })
}

const sweep = (state: State): State => ({
  ...state,
  codes: each(state.codes, (code) => (code.keepUntil <= state.now ? { ...code, swept: true } : code)),
  access: each(state.access, (token) => (token.expiresAt <= state.now ? { ...token, swept: true } : token)),
  refresh: each(state.refresh, (token) => (token.expiresAt <= state.now ? { ...token, swept: true } : token)),
})

/** Does an operation. */
export const step = (state: State, operation: Operation): Step => {
  switch (operation.tag) {
    case "grant":
      return grant(state, operation)
    case "redeem":
      return redeem(state, operation)
    case "refresh":
      return refresh(state, operation)
    case "revoke":
      return revokeToken(state, operation)
    case "withdraw":
      return { state: revokeGrants(state, ({ client }) => client === operation.client), outcome: done }
    case "end session":
      return { state: { ...revokeGrants(state, ({ session }) => session === state.session), session: state.session + 1 }, outcome: done }
    case "enable":
      return { state: { ...state, active: operation.active }, outcome: done }
    case "pass":
      return { state: { ...state, now: state.now + operation.seconds }, outcome: done }
    case "sweep":
      return { state: sweep(state), outcome: done }
    case "introspect":
      return introspect(state, operation)
    case "userinfo":
      return userinfo(state, operation)
  }
}

/**
 * Tells if an operation means the same with and without a sweep. One on a row that a sweep may have taken does not: a replay of what is
 * forgotten revokes nothing.
 */
export const isCertain = (state: State, operation: Operation): boolean => {
  if (operation.tag === "redeem") return state.codes[operation.code]?.swept === false
  return operation.tag === "refresh" || operation.tag === "revoke" ? state.refresh[operation.token]?.swept !== true : true
}
