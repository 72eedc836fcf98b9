import type { PendingDevice, Settings, WaitingInteraction } from "../../model/index.ts"
import { mapped, together } from "../../ports/steps.ts"
import { consentRules } from "../../rules/allowed.ts"
import { detailWord } from "../../rules/details/index.ts"
import { detailFaces } from "../../rules/details/known.ts"
import { displayedClient, displayedPerson, scopeFaces } from "../../rules/faces.ts"
import { type PageRefusal, invalidPage, toPage } from "../../rules/page.ts"
import { sourceRules } from "../../rules/provider.ts"
import type { Objection } from "../../rules/rule.ts"
import { isLive, sessionRules } from "../../rules/session.ts"
import { type ShownSeen, csrfWithVersion, shownRules } from "../../rules/shown.ts"
import { sessionTenantRules } from "../../rules/tenant.ts"
import { readUserCode } from "../../rules/userCode.ts"
import { contextsOf } from "../../settle/asked.ts"
import type { Browser } from "../../settle/browser.ts"
import { go, personOf } from "../../settle/pages.ts"
import type { Inquiry } from "../../settle/request.ts"
import { grantableOf } from "../../settle/sector.ts"
import { signInOf } from "../../settle/signIn.ts"
import { row } from "../../settle/stage.ts"
import { toldWaiting, visitorSignIn, whyOf } from "../../settle/told.ts"
import { type Confirmable, findDevice, grantedDetails, grantedScope, settleDevice } from "./page.ts"
import { type CodeObjection, codeRules, grantableRules, signedInRules } from "./rules.ts"

/** A device that waits for a person on an embedder's page. Its row was made when the correct code was entered. */
export interface WaitingDevice {
  readonly settings: Settings
  readonly now: number
  readonly browser: Browser
  readonly interaction: PendingDevice
  readonly handle: string
}

/** Shows that a code that was correct is no longer valid. */
const gone = ({ problem, reason }: CodeObjection) =>
  toPage(invalidPage(problem === "used" ? "interaction_finished" : "interaction_expired", "The device is no longer waiting.", reason))

const found = row<WaitingDevice, PageRefusal>(toPage)
  .read(({ interaction: { userCode }, browser }, inquiry) => {
    const code = readUserCode(userCode)
    const { session } = browser
    const reads = together({ waiting: code === undefined ? undefined : findDevice(code, inquiry), person: personOf(browser, inquiry) })
    return mapped(reads, ({ waiting, person }) => ({
      typed: userCode,
      code,
      device: waiting?.device,
      client: waiting?.client,
      person,
      session,
      about: { clientId: waiting?.client?.clientId, subject: session?.subject },
    }))
  })
  .judge(codeRules, gone)
  .read(({ client, device, interaction: visit }, inquiry) => ({ ...contextsOf(undefined, client, inquiry), visit, request: device }))

type Told = WaitingDevice &
  Pick<Confirmable, "device" | "client"> & { readonly person: Confirmable["person"] | undefined; readonly tenant: string | undefined }

const consentNeed = (s: Told, inquiry: Inquiry): WaitingInteraction["consent"] => ({
  scopes: scopeFaces(s.settings.catalog, grantedScope(s, inquiry)),
  details:
    s.device.authorizationDetails === undefined
      ? undefined
      : detailFaces(s.settings, grantedDetails({ device: s.device, client: s.client, person: s.person }, inquiry).map(detailWord)),
})

const told = (need: "sign_in" | "device", s: Told, inquiry: Inquiry) => {
  const { browser, interaction, handle, client, person, tenant, now } = s
  return toldWaiting({
    need,
    why: whyOf(inquiry.trace) ?? { rule: "device-page.decision", cites: "RFC 8628 §3.3", reason: "the person has not decided yet" },
    interaction: handle,
    csrf: need === "sign_in" ? browser.csrf : csrfWithVersion(browser.sessionCsrf, client),
    client: displayedClient(client),
    person: person && isLive(browser.session, now) ? displayedPerson(person) : undefined,
    tenant,
    signIn: need === "sign_in" ? visitorSignIn(s) : undefined,
    consent: need === "device" ? consentNeed(s, inquiry) : undefined,
    device: { userCode: interaction.userCode },
    expiresAt: interaction.expiresAt,
  })
}

const needsSignIn = (_: Objection, s: Told, inquiry: Inquiry) => told("sign_in", s, inquiry)

/** Reports what a device needs from a person. It changes nothing. */
export const lookAtDevice = found
  .judge(sessionRules, needsSignIn)
  .judge(sourceRules, needsSignIn)
  .judge(sessionTenantRules, needsSignIn)
  .judge(signedInRules, needsSignIn)
  .decide((s, inquiry) => told("device", s, inquiry))

const backToSignIn = (_: Objection, { handle, browser }: WaitingDevice) => go(signInOf(handle), browser.cookies)

const answering = found
  .judge(sessionRules, backToSignIn)
  .judge(sourceRules, backToSignIn)
  .judge(sessionTenantRules, backToSignIn)
  .judge(signedInRules, backToSignIn)
  .read(grantableOf)
  .judge(grantableRules)

/** Approves a device for a person who allows these scopes on an embedder's page (RFC 8628 §3.3). */
export const allowDevice = row<
  WaitingDevice & Pick<ShownSeen, "version"> & { readonly scopes: unknown; readonly details?: unknown },
  PageRefusal
>(toPage)
  .through(answering)
  .judge(shownRules)
  .read((s, inquiry) => ({
    requested: [...grantedScope(s, inquiry), ...grantedDetails({ ...s, person: s.person }, inquiry).map(detailWord)],
    settings: inquiry.ports.settings,
    whole: true,
  }))
  .judge(consentRules)
  .decide((s, inquiry) => settleDevice({ ...s, approved: true }, inquiry))

/** Denies a device on behalf of its person. */
export const denyDeviceOf = answering.decide((s, inquiry) => settleDevice({ ...s, approved: false }, inquiry))
