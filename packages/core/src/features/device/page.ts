import * as Effect from "effect/Effect"
import {
  type Decision,
  type Device,
  type Grant,
  type Interaction,
  type Locator,
  type Page,
  replaceDevice,
  requireSession,
  saveGrant,
  saveInteraction,
} from "../../model/index.ts"
import { changing } from "../../model/index.ts"
import { acrAsked, acrReached } from "../../rules/acr.ts"
import { clientFace, personFace, scopeFaces } from "../../rules/faces.ts"
import { toPage } from "../../rules/page.ts"
import { sourceRules } from "../../rules/provider.ts"
import { held, judge } from "../../rules/rule.ts"
import { mayHave } from "../../rules/scope.ts"
import { endsWithSession, sessionRules } from "../../rules/session.ts"
import { longestLife } from "../../rules/tokens.ts"
import { readUserCode, shownUserCode } from "../../rules/userCode.ts"
import { sessionTenantRules } from "../../rules/tenant.ts"
import { userCodeBudgets } from "../../settle/budgets.ts"
import { type Browser, loadBrowser } from "../../settle/browser.ts"
import { type Inquiry, freshHandle, freshLocator } from "../../settle/request.ts"
import { judging, reserve, rightGuess } from "../../settle/reserve.ts"
import { sectorFaultOf } from "../../settle/sector.ts"
import { subjectFor } from "../../settle/subject.ts"
import { isForm, readParams, writeParams } from "../../wire/index.ts"
import type { Endpoint } from "../../settle/endpoint.ts"
import { userCodeDigest } from "./authorization.ts"
import {
  type CodeObjection,
  type DevicePageRequest,
  type DevicePageSeen,
  accountRules,
  answerRules,
  attemptRules,
  codeRules,
  openRules,
} from "./rules.ts"

const showForm = (q: DevicePageRequest, s: DevicePageSeen, { problem }: CodeObjection): Decision => {
  const page: Page = { _tag: "DeviceCode", form: { action: "/device", hidden: [] }, userCode: (q.typed ?? "").slice(0, 20), problem }
  return { _tag: "Show", page, status: problem === "none" ? 200 : 400, cookies: s.browser.cookies, commands: [] }
}

/** Keeps the code while the person signs in, as a request that waits is kept. */
const askToSignIn = Effect.fnUntraced(function* (code: string, s: DevicePageSeen, inquiry: Inquiry) {
  const handle = yield* freshHandle(inquiry, "i")
  const expiresAt = s.now + inquiry.ports.settings.interactionLifetime
  const interaction: Interaction = {
    locator: handle.locator,
    digest: handle.digest,
    browser: s.browser.digest,
    clientId: held(s.client).clientId,
    params: [["user_code", shownUserCode(code)]],
    hint: undefined,
    createdAt: s.now,
    expiresAt,
    signedInAt: undefined,
    subject: undefined,
    consented: undefined,
    denied: false,
    finishedAt: undefined,
    version: 0,
    keepUntil: expiresAt,
  }
  return {
    _tag: "Go",
    to: `/login?${writeParams([["interaction", handle.value]])}`,
    cookies: s.browser.cookies,
    commands: [saveInteraction(interaction)],
  } satisfies Decision as Decision
})

const grantedScope = ({ device, client }: DevicePageSeen, { ports }: Inquiry): ReadonlyArray<string> =>
  held(device).scope.filter((name) => mayHave(ports.settings, held(client), name))

const confirm = (code: string, s: DevicePageSeen, inquiry: Inquiry): Decision => ({
  _tag: "Show",
  status: 200,
  cookies: s.browser.cookies,
  commands: [],
  page: {
    _tag: "DeviceConfirm",
    form: {
      action: "/device",
      hidden: [
        ["csrf", s.browser.sessionCsrf],
        ["user_code", shownUserCode(code)],
      ],
    },
    userCode: shownUserCode(code),
    client: clientFace(held(s.client)),
    person: personFace(held(s.person)),
    scopes: scopeFaces(inquiry.ports.settings.catalogue, grantedScope(s, inquiry)),
    another: `/device?${writeParams([
      ["user_code", shownUserCode(code)],
      ["another", "1"],
    ])}`,
  },
})

/** Approves or denies the device; an approval is a grant (RFC 8628 §3.3). */
const settleDevice = (q: DevicePageRequest, s: DevicePageSeen, grantId: Locator, inquiry: Inquiry): Decision => {
  const device = held(s.device)
  const session = held(s.session)
  const approved = q.decision === "allow"
  const next: Device = {
    ...device,
    state: approved ? "approved" : "denied",
    grantId: approved ? grantId : undefined,
    version: device.version + 1,
  }
  const grant: Grant = {
    id: grantId,
    clientId: device.clientId,
    subject: session.subject,
    sub: held(s.sub),
    sessionId: session.locator,
    scope: grantedScope(s, inquiry),
    resources: [],
    authTime: session.authTime,
    amr: session.amr,
    acr: acrReached(inquiry.ports.settings, session),
    nonce: undefined,
    claims: undefined,
    endsWithSession: endsWithSession(held(s.client), grantedScope(s, inquiry)),
    parentId: undefined,
    extension: undefined,
    createdAt: s.now,
    keepUntil: device.keepUntil + longestLife(held(s.client)),
    revokedAt: undefined,
  }
  return {
    _tag: "Show",
    page: { _tag: "DeviceDone", approved, client: clientFace(held(s.client)) },
    status: 200,
    cookies: s.browser.cookies,
    commands: [requireSession(session.locator), replaceDevice(next), ...(approved ? [saveGrant(grant)] : [])],
  }
}

/** Reads what the tables need: the device of a code, its client, and who is signed in. */
const load = Effect.fnUntraced(function* (code: string | undefined, browser: Browser, inquiry: Inquiry) {
  const { ports, now } = inquiry
  const { session } = browser
  const device = code === undefined ? undefined : yield* ports.tokens.findDeviceByUserCode(yield* userCodeDigest(code, inquiry))
  const client = device === undefined ? undefined : yield* ports.clients.find(device.clientId)
  return {
    now,
    browser,
    device,
    client,
    session,
    person: session === undefined ? undefined : yield* ports.authenticator.find(session.subject),
    sub: client === undefined || session === undefined ? undefined : yield* subjectFor(client, session.subject, inquiry),
    sectorFault: client === undefined ? undefined : yield* sectorFaultOf(client, inquiry),
    subjectIsClient: session !== undefined && (yield* ports.clients.find(session.subject)) !== undefined,
  } satisfies DevicePageSeen as DevicePageSeen
})

/** The page on which a person enters, sees and confirms the code a device shows (RFC 8628 §3.3). */
export const devicePage: Endpoint = {
  name: "device",
  path: "/device",
  methods: ["GET", "POST"],
  audience: "people",
  cors: false,
  attempt: Effect.fnUntraced(function* (message, inquiry) {
    const { trace } = inquiry
    const posted = message.method === "POST"
    const params = readParams(posted ? message.body : message.query)
    const typed = params.one("user_code")
    const code = readUserCode(typed)
    const q: DevicePageRequest = {
      typed,
      code,
      isForm: isForm(message.headers["content-type"]),
      csrf: params.one("csrf"),
      decision: params.one("decision"),
      another: !posted && params.one("another") !== undefined,
    }
    const unopened = judge(trace, openRules, { fetchDest: message.headers["sec-fetch-dest"] }, undefined)
    if (unopened !== undefined) return toPage(unopened)
    const browser = yield* loadBrowser(message, inquiry)
    const budgets = typed === undefined ? [] : yield* userCodeBudgets(browser.digest, inquiry)
    const over = yield* reserve(attemptRules, budgets, inquiry)
    if (over !== undefined) return toPage(over)
    const seen = yield* judging(load(code, browser, inquiry), inquiry)
    inquiry.about.clientId = seen.device?.clientId
    inquiry.about.subject = seen.session?.subject
    const objection = judge(trace, codeRules, q, seen)
    if (objection?.problem === "unknown") return showForm(q, seen, objection)
    return changing(yield* decide(q, seen, posted, objection, inquiry), rightGuess(inquiry))
  }),
}

/** Decides what becomes of a code that is, or was, some device's. */
const decide = Effect.fnUntraced(function* (
  q: DevicePageRequest,
  seen: DevicePageSeen,
  posted: boolean,
  objection: CodeObjection | undefined,
  inquiry: Inquiry,
) {
  const { trace } = inquiry
  if (objection !== undefined) return showForm(q, seen, objection)
  if (
    judge(trace, sessionRules, seen) !== undefined ||
    judge(trace, sourceRules, { ...seen, session: held(seen.session) }) !== undefined ||
    judge(trace, sessionTenantRules, { ...seen, session: held(seen.session), tenant: acrAsked(undefined, seen.client).tenant }) !==
      undefined ||
    judge(trace, accountRules, q, seen) !== undefined
  )
    return yield* askToSignIn(held(q.code), seen, inquiry)
  if (!posted) return confirm(held(q.code), seen, inquiry)
  const refusal = judge(trace, answerRules, q, seen)
  return refusal === undefined ? settleDevice(q, seen, freshLocator(inquiry), inquiry) : toPage(refusal)
})
