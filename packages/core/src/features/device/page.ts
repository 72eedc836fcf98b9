import * as Effect from "effect/Effect"
import {
  type Client,
  type Command,
  type Decision,
  type Device,
  type JsonObject,
  type Person,
  type Session,
  deviceAnswers,
  requireSession,
} from "../../model/index.ts"
import { grantAhead } from "../../issuance/index.ts"
import { mapped, onward, together } from "../../ports/steps.ts"
import { acrReached } from "../../rules/acr.ts"
import { detailWord, detailsLeft } from "../../rules/details/index.ts"
import { detailFaces, enriched } from "../../rules/details/known.ts"
import { displayedClient, displayedPerson, scopeFaces } from "../../rules/faces.ts"
import { toPage } from "../../rules/page.ts"
import { sourceRules } from "../../rules/provider.ts"
import type { Objection } from "../../rules/rule.ts"
import { mayHave } from "../../rules/scope.ts"
import { endsWithSession, sessionRules } from "../../rules/session.ts"
import { sessionTenantRules } from "../../rules/tenant.ts"
import { readUserCode, shownUserCode } from "../../rules/userCode.ts"
import { contextsOf } from "../../settle/asked.ts"
import type { Browser } from "../../settle/browser.ts"
import { endpoint } from "../../settle/endpoint.ts"
import { devicePath, ownDevicePage } from "../../settle/ownPlaces.ts"
import { formOf, fromOwnPages, go, page, personOf, show } from "../../settle/pages.ts"
import { visitorsLimited } from "../../settle/rate.ts"
import type { Inquiry } from "../../settle/request.ts"
import { judging, reserved, rightGuess } from "../../settle/reserve.ts"
import { grantableOf } from "../../settle/sector.ts"
import { usesOf } from "../../settle/sessionUses.ts"
import { anotherAccountOf, signInOf } from "../../settle/signIn.ts"
import { findWay, keepFor } from "../../settle/waiting.ts"
import { writeParams } from "../../wire/index.ts"
import { userCodeDigest } from "./authorization.ts"
import { userCodeBudgets } from "./codeBudgets.ts"
import { type CodeObjection, accountRules, answerRules, attemptRules, codeRules, openRules, signedInRules } from "./rules.ts"

const showForm = ({ problem }: CodeObjection, typed: string | undefined, { cookies }: Browser, inquiry: Inquiry): Decision => {
  const userCode = (typed ?? "").slice(0, 20)
  // A code that no device waits with counts as a wrong guess.
  const commands = problem === "unknown" ? [] : rightGuess(inquiry)
  if (inquiry.ports.settings.interactionRoutes.device !== undefined)
    return go(
      `${ownDevicePage}?${writeParams([...(problem === "none" ? [] : ([["problem", problem]] as const)), ["user_code", userCode]])}`,
      cookies,
      commands,
    )
  const shown = { _tag: "DeviceCode", form: { action: devicePath, hidden: [] }, userCode, problem } as const
  return show(shown, cookies, commands, problem === "none" ? 200 : 400)
}

/** A code of a waiting device, entered in a browser. */
export interface CodeFound {
  readonly code: string
  readonly device: Device
  readonly browser: Browser
  readonly client: Client
  readonly now: number
}

/** Stores the code while the person signs in, in the same way as a waiting request. */
const askToSignIn = (_: Objection, found: CodeFound & { readonly another: boolean }, inquiry: Inquiry) =>
  keepCode(found.another ? anotherAccountOf : signInOf, found, inquiry)

const keepCode = (placeOf: (handle: string) => string, found: CodeFound, inquiry: Inquiry) =>
  keepFor(placeOf, { ...found, to: found.device, kept: { kind: "device", userCode: shownUserCode(found.code) } }, inquiry)

const ownPageOf = (handle: string): string => `${ownDevicePage}?${writeParams([["interaction", handle]])}`

/** A device that a person may approve. */
export interface Confirmable extends CodeFound {
  readonly person: Person
}

/** The scopes that the device would be granted. */
export const grantedScope = ({ device, client }: Pick<Confirmable, "device" | "client">, { ports }: Inquiry): ReadonlyArray<string> =>
  device.scope.filter((name) => mayHave(ports.settings, client, name))

/** The authorization details that the device would be granted, enriched by the provider for the person (RFC 9396 §7.1). */
export const grantedDetails = (
  { device, client, person }: Pick<Confirmable, "device" | "client"> & { readonly person: Person | undefined },
  { ports: { settings } }: Inquiry,
): ReadonlyArray<JsonObject> => enriched(detailsLeft(device.authorizationDetails, settings, client), settings.details, person)

const confirm = (s: Confirmable, inquiry: Inquiry) => {
  if (inquiry.ports.settings.interactionRoutes.device !== undefined) return keepCode(ownPageOf, s, inquiry)
  const { browser, client, person } = s
  const userCode = shownUserCode(s.code)
  const details = detailFaces(inquiry.ports.settings, grantedDetails(s, inquiry).map(detailWord))
  const again = [
    ["user_code", userCode],
    ["another", "1"],
  ] as const
  const shown = {
    _tag: "DeviceConfirm",
    form: formOf(devicePath, browser, [["user_code", userCode]]),
    userCode,
    client: displayedClient(client),
    person: displayedPerson(person),
    scopes: scopeFaces(inquiry.ports.settings.catalog, grantedScope(s, inquiry)),
    ...(details.length === 0 ? {} : { details }),
    another: `${devicePath}?${writeParams(again)}`,
  } as const
  return show(shown, browser.cookies)
}

/** A person's answer for a device. */
export interface Answered extends Confirmable {
  readonly session: Session
  readonly approved: boolean
}

/** Approves or denies the device; an approval is a grant (RFC 8628 §3.3). */
export const settleDevice = (s: Answered, inquiry: Inquiry) => {
  const { device, client, session, approved, browser } = s
  const settled = (answer: Command, granted: ReadonlyArray<Command>) => {
    const commands = [requireSession(session.locator), answer, ...granted]
    return inquiry.ports.settings.interactionRoutes.device === undefined
      ? show({ _tag: "DeviceDone", approved, client: displayedClient(client) }, browser.cookies, commands)
      : go(`${ownDevicePage}?${writeParams([["done", approved ? "approved" : "denied"]])}`, browser.cookies, commands)
  }
  if (!approved) return settled(deviceAnswers.deny(device), [])
  return mapped(grantDevice(s, inquiry), ({ grantId, commands }) =>
    settled(deviceAnswers.approve(device, grantId), [...commands, ...usesOf(client, session, inquiry)]),
  )
}

/** The grant from which the device will fetch its tokens. */
const grantDevice = (s: Answered, inquiry: Inquiry) => {
  const { device, client, person, session } = s
  const { locator: sessionId, authTime, amr } = session
  const scope = grantedScope(s, inquiry)
  const acr = acrReached(inquiry.ports.settings, session)
  const authorizationDetails = device.authorizationDetails === undefined ? undefined : grantedDetails(s, inquiry)
  const basis = { sessionId, resources: [], authTime, amr, acr, authorizationDetails, endsWithSession: endsWithSession(client, scope) }
  return grantAhead({ client, person, scope, basis, until: device.keepUntil }, inquiry)
}

/** Finds the device that a code belongs to, and its client. */
export const findDevice = (code: string, inquiry: Inquiry) => {
  const { clients, tokens } = inquiry.ports
  return onward(userCodeDigest(code, inquiry), (digest) =>
    onward(tokens.findDeviceByUserCode(digest), (device) => together({ device, client: device && clients.find(device.clientId) })),
  )
}

/** The page on which a person enters, reviews and confirms the code that a device shows (RFC 8628 §3.3). */
export const devicePage = endpoint(
  { name: "device", path: devicePath, methods: ["GET", "POST"], audience: "people", cors: false },
  fromOwnPages
    .judge(openRules)
    .through(visitorsLimited("device-page", "authorizeAddress"))
    .through(page)
    .read(({ params, posted }) => {
      const typed = params.one("user_code")
      const another = !posted && params.one("another") !== undefined
      return { typed, code: readUserCode(typed), decision: params.one("decision"), another }
    })
    .through(
      reserved(
        attemptRules,
        ({ typed, browser }, inquiry) => (typed === undefined ? Effect.succeed([]) : userCodeBudgets(browser.digest, inquiry)),
        toPage,
      ),
    )
    .read(({ code, browser }, inquiry) => {
      const { session } = browser
      const reads = together({ waiting: code === undefined ? nothing : findDevice(code, inquiry), person: personOf(browser, inquiry) })
      return mapped(judging(reads, inquiry), ({ waiting, person }) => ({
        ...waiting,
        session,
        person,
        about: { clientId: waiting.device?.clientId, subject: session?.subject },
      }))
    })
    .judge(codeRules, (objection, { typed, browser }, inquiry) => showForm(objection, typed, browser, inquiry))
    .read(({ device, client, browser }, inquiry) =>
      together({
        changes: rightGuess(inquiry),
        ...contextsOf(undefined, client, inquiry),
        visit: judging(findWay(device.locator, browser, inquiry), inquiry),
        request: device,
      }),
    )
    .judge(sessionRules, askToSignIn)
    .judge(sourceRules, askToSignIn)
    .judge(sessionTenantRules, askToSignIn)
    .judge(accountRules, askToSignIn)
    .judge(signedInRules, askToSignIn)
    .split(
      {
        confirm: (row) => row.decide(confirm),
        answer: (row) =>
          row
            .read((s, inquiry) => judging(grantableOf(s, inquiry), inquiry))
            .judge(answerRules)
            .decide(settleDevice),
      },
      ({ posted }) => (posted ? "answer" : "confirm"),
    ),
)

const nothing = { device: undefined, client: undefined }
