import { authorize, redeem, signedIn } from "../support/flows.ts"
import { type World, clients } from "../support/world.ts"
import { type Case, page } from "./case.ts"

const back = "https://app.example/out"

const options = {
  clients: clients.map((each) =>
    each.client_id === "web" ? { ...each, frontchannel_logout_uri: "https://app.example/front?from=op" } : each,
  ),
}

/** Signs in at two clients, of which one has a frame; answers with the browser and the ID token of each. */
const used = async (w: World, ids: ReadonlyArray<string> = ["web", "other"]) => {
  const visitor = await signedIn(w)
  const idTokens: Array<string> = []
  for (const id of ids) {
    const { params } = await authorize(visitor, id)
    idTokens.push(String((await redeem(w, params["code"] ?? "", id)).json?.["id_token"]))
  }
  return { visitor, id_token_hint: idTokens[0] ?? "" }
}

/** Sign-out by frames: OpenID Connect Front-Channel Logout 1.0. */
export const cases: ReadonlyArray<Case> = [
  {
    title: "Front-Channel Logout §3: after a sign-out at the provider, the page shows a frame of the client that has one",
    rule: undefined,
    options,
    run: async (w) => {
      const { visitor } = await used(w)
      const { page: asked } = await visitor.get("/logout")
      const answer = await visitor.submit(asked)
      return { ...answer, json: { frames: (answer.page?.["frames"] as ReadonlyArray<string> | undefined)?.length } }
    },
    expect: { ...page("SigningOut"), json: { frames: 1 } },
  },
  {
    title: "Front-Channel Logout §3, RP-Initiated Logout §3: the browser goes on from there to the client that asked, with its state",
    rule: undefined,
    options,
    run: async (w) => {
      const { visitor, id_token_hint } = await used(w)
      return visitor.get("/connect/endsession", { id_token_hint, post_logout_redirect_uri: back, state: "a b" })
    },
    expect: page("SigningOut", 200, { onward: `${back}?state=a+b` }),
  },
  {
    title: "Front-Channel Logout §3: where no client of the session has a frame, the browser goes on at once",
    rule: undefined,
    options,
    run: async (w) => {
      const { visitor } = await used(w, ["other"])
      return visitor.submit((await visitor.get("/logout")).page)
    },
    expect: page("SignedOut"),
  },
]
