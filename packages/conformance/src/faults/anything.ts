import { type Change, at, beside, fault, headed, members } from "./change.ts"
import type { Fault } from "./fault.ts"
import { remembering } from "./remembering.ts"

/** Replaces a refusal with a success. */
const insteadOf =
  (statuses: ReadonlyArray<number>, success: () => Response): Change =>
  (answer) =>
    statuses.includes(answer.status) ? success() : answer

/** Answers a refused authorization request with a code, sent to the redirect URI of the request. */
const anyCode: Change = (answer, request) => {
  const asked = new URL(request.url).searchParams
  const location = answer.headers.get("location") ?? ""
  const error = URL.canParse(location) && new URL(location).host.startsWith("client.") ? new URL(location) : undefined
  const wanted = asked.get("redirect_uri") ?? "https://client.conformance.test/callback"
  const to = error?.searchParams.has("error") === true ? error : answer.status === 400 && URL.canParse(wanted) ? new URL(wanted) : undefined
  if (to === undefined) return answer
  to.searchParams.delete("error")
  to.searchParams.set("code", "a-code-for-whatever-was-asked")
  to.searchParams.set("state", asked.get("state") ?? "")
  return new Response(null, { status: 303, headers: { location: to.href } })
}

/** Replaces every page of the end session endpoint with a redirect to the client. */
const anywhere: Change = (answer, request) => {
  const { pathname, search } = new URL(request.url)
  if (!/\/(?:endsession|logout)$/.test(pathname) || !(answer.headers.get("content-type") ?? "").includes("html")) return answer
  return new Response(null, { status: 303, headers: { location: `https://client.conformance.test/signed-out${search}` } })
}

/** Providers that refuse nothing or everything at an endpoint, or only the second request. */
export const anythingFaults: ReadonlyArray<Fault> = [
  fault(
    "redirect.anything",
    "answers every request with a code, and sends it to any address",
    "RFC 6749 §4.1.2.1",
    ["authorize", "pkce", "document", "registration", "request-object"],
    at("/connect/authorize", anyCode),
  ),
  remembering(
    {
      id: "redirect.once",
      title: "answers one request with a code, and others with an error",
      paragraph: "RFC 6749 §4.1.2",
      near: ["authorize", "document"],
    },
    () => ({ count: 0 }),
    (memory) => (answer, request) => {
      const location = answer.headers.get("location") ?? ""
      if (!/[?&]code=/.test(location) || ++memory.count < 2) return answer
      return headed((headers) => headers.set("location", location.replace(/code=[^&]*/, "error=server_error")))(answer, request)
    },
  ),
  fault(
    "logout.anywhere",
    "sends people on after a sign-out, whoever asked",
    "OpenID Connect RP-Initiated Logout §3",
    ["logout"],
    anywhere,
  ),
  fault(
    "pushed.anything",
    "takes whatever is pushed, from everybody",
    "RFC 9126 §2.3",
    ["pushed", "fapi"],
    at(
      "/par",
      insteadOf([400, 401], () => Response.json({ request_uri: "urn:ietf:params:oauth:request_uri:any", expires_in: 60 }, { status: 201 })),
    ),
  ),
  fault(
    "registration.anything",
    "registers clients whose grants do not fit their response types",
    "RFC 7591 §2.1",
    ["registration"],
    at(
      "/connect/register",
      insteadOf([400], () =>
        Response.json({ client_id: "any", grant_types: ["authorization_code"], response_types: ["token"] }, { status: 201 }),
      ),
    ),
  ),
  fault(
    "registration.error-other",
    "refuses metadata by an error that nobody knows",
    "RFC 7591 §3.2.2",
    ["registration"],
    at("/connect/register", beside("error", { error: "bad_metadata" })),
  ),
  fault(
    "userinfo.anything",
    "tells userinfo for any token, and for none",
    "RFC 6750 §3.1",
    ["userinfo", "id-jag"],
    at(
      "/userinfo",
      insteadOf([400, 401], () => Response.json({ sub: "subject of alice" })),
    ),
  ),
  fault(
    "introspection.anything",
    "tells everybody that a token is not active",
    "RFC 7662 §2.1",
    ["introspection"],
    at(
      "/introspect",
      insteadOf([400, 401, 405], () => Response.json({ active: false })),
    ),
  ),
  fault(
    "token.anything",
    "answers every request with a token",
    "RFC 6749 §5.2",
    ["mutual-tls", "document"],
    at(
      "/connect/token",
      insteadOf([400, 401], () => Response.json({ access_token: "for-whoever-asks", token_type: "Bearer", expires_in: 60 })),
    ),
  ),
  fault(
    "details.introspection-other",
    "tells other authorization details at introspection than it granted",
    "RFC 9396 §9.2",
    ["details"],
    at(
      "/introspect",
      members(({ authorization_details: found }) => (found === undefined ? {} : { authorization_details: [{ type: "another" }] })),
    ),
  ),
  remembering(
    { id: "token.access-short", title: "gives short access tokens after a refresh", paragraph: "RFC 6749 §10.10", near: ["refresh"] },
    () => ({ count: 0 }),
    (memory) =>
      at(
        "/connect/token",
        members(({ access_token: token }) => (token !== undefined && ++memory.count > 1 ? { access_token: "abcdabcdabcdabcd" } : {})),
      ),
  ),
  remembering(
    { id: "claims.sub-second", title: "names another person the second time", paragraph: "OpenID Connect Core §2", near: ["session"] },
    () => ({ count: 0 }),
    () => (answer) => answer,
    (options, memory) => ({
      ...options,
      signer: {
        ...options.signer,
        sign: (unsigned) =>
          options.signer.sign(
            unsigned.typ === "JWT" && ++memory.count > 1 ? { ...unsigned, claims: { ...unsigned.claims, sub: "somebody else" } } : unsigned,
          ),
      },
    }),
  ),
]
