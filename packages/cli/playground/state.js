/** The demo's setup: issuer, clients, scopes, people. */
export const setup = await (await fetch("/setup.json")).json()

const fresh = () => ({
  scopes: setup.scopes.filter(({ ticked }) => ticked).map(({ name }) => name),
  prompt: "",
  payment: false,
  calls: [],
  tokens: {},
  granted: "",
  person: undefined,
  results: {},
  television: { state: "off", calls: [] },
})

const read = () => {
  try {
    const stored = JSON.parse(sessionStorage.getItem("playground") ?? "null")
    return stored?.issuer === setup.issuer ? { ...fresh(), ...stored } : fresh()
  } catch {
    return fresh()
  }
}

/** Everything this page remembers, for as long as its tab lives. */
export const kept = read()

/** Writes what is remembered. */
export const keep = () => sessionStorage.setItem("playground", JSON.stringify({ ...kept, issuer: setup.issuer }))

/** Forgets the sign-in and what came of it; scopes, prompt and the television stay. */
export const forgetSignIn = () => {
  Object.assign(kept, { calls: [], tokens: {}, granted: "", person: undefined, results: {} })
  delete kept.pending
  delete kept.leaving
  keep()
}
