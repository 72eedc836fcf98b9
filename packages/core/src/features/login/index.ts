import { type Person, secretOf } from "../../model/index.ts"
import { mapped, onward, together } from "../../ports/steps.ts"
import { openRules } from "../../rules/interaction.ts"
import { type ProviderSeen, askedProvider, offeredProviders } from "../../rules/provider.ts"
import { isLive } from "../../rules/session.ts"
import { accountOf } from "../../settle/account.ts"
import { passwordBudgets } from "../../settle/budgets.ts"
import { endpoint } from "../../settle/endpoint.ts"
import { knownCookie, knownDevice } from "../../settle/knownDevice.ts"
import { personOf } from "../../settle/pages.ts"
import { type Inquiry, once } from "../../settle/request.ts"
import { judging, reserved, rightGuess } from "../../settle/reserve.ts"
import { signInPage, toRequest } from "../../settle/signInPage.ts"
import { begin } from "../../settle/upstream.ts"
import { resumeSignedIn } from "../authorize/index.ts"
import { type Shown, showForm } from "./page.ts"
import { type LoginRefusal, alreadyRules, attemptRules, formRules, forwardRules, toldRules, verificationRules } from "./rules.ts"
import { signInPath } from "../../settle/ownPlaces.ts"

/** The only provider at which people can sign in, for a client that does not allow sign-in by password here. */
const onlyWay = ({ settings, client }: ProviderSeen): string | undefined => {
  const offered = client === undefined || client.allowLocalLogin ? [] : offeredProviders({ settings, client })
  return offered.length === 1 ? offered[0]?.name : undefined
}

type Page = Omit<Shown, "person" | "refusal" | "failedProvider">

/** The signed-in person, if the page is to offer to continue as that person. */
const offered = ({ another, browser, now }: Page, person: Person | undefined): Person | undefined =>
  !another && isLive(browser.session, now) ? person : undefined

/** Shows the form again, with the problem. */
const refused = (refusal: LoginRefusal, seen: Page, inquiry: Inquiry) =>
  mapped(personOf(seen.browser, inquiry), (person) => showForm({ ...seen, person: offered(seen, person), refusal }))

/** The page on which a person signs in, and the handler of its form. */
export const login = endpoint(
  { name: "login", path: signInPath, methods: ["GET", "POST"], audience: "people", cors: false },
  signInPage.split(
    {
      show: (row) =>
        row
          .judge(openRules, toRequest)
          .read(({ browser }, inquiry) => mapped(personOf(browser, inquiry), (person) => ({ session: browser.session, person })))
          .fork(alreadyRules, {
            passed: (already) => already.decide((s) => toRequest(undefined, s)),
            objected: (needed) =>
              needed
                .read(({ asked, settings, client, params }, { trace }) => ({
                  provider: askedProvider(asked, { settings, client }, trace) ?? onlyWay({ settings, client }),
                  toldProblem: params.one("problem"),
                  failedProvider: params.one("idp"),
                }))
                .fork(forwardRules, {
                  passed: (forward) => forward.decide(begin),
                  objected: (form) =>
                    form
                      .judge(toldRules, (refusal, seen) => showForm({ ...seen, person: offered(seen, seen.person), refusal }))
                      .decide((seen) => showForm({ ...seen, person: offered(seen, seen.person) })),
                }),
          }),
      submit: (row) =>
        row
          .read(({ params }) => {
            const password = params.one("password")
            return { username: params.one("username"), password: password === undefined ? undefined : secretOf(password) }
          })
          .judge(formRules, refused)
          .read(({ message, username }, inquiry) =>
            mapped(
              together({ account: accountOf(username, inquiry), device: knownDevice(message, username, inquiry) }),
              ({ account, device }) => ({ device, about: { account } }),
            ),
          )
          .through(reserved(attemptRules, ({ username, device }, inquiry) => passwordBudgets(username, device, inquiry), refused))
          .read(({ message: { address }, username, password, asked: { tenant, contexts } }, inquiry) => {
            const credentials = { username, password, tenant, acrValues: contexts, address }
            const { authenticator } = inquiry.ports
            return mapped(
              once(inquiry, "verification", () => judging(authenticator.verify(credentials), inquiry)),
              (verification) => ({ verification }),
            )
          })
          .judge(verificationRules, refused)
          .read(({ verified }) => ({ about: { subject: verified.person.subject } }))
          .decide((seen, inquiry) => {
            const { message, username, browser, verified, tenant, now } = seen
            const { person, amr, acr } = verified
            const who = { person, amr, acr, idp: undefined, tenant, authTime: now }
            const signedIn = onward(knownCookie(message, username, inquiry), (known) => {
              const cookies = [...browser.cookies, known]
              return resumeSignedIn({ ...seen, browser: { ...browser, cookies } }, who, inquiry, () => rightGuess(inquiry))
            })
            return judging(signedIn, inquiry)
          }),
    },
    ({ posted }) => (posted ? "submit" : "show"),
  ),
)
