import type { ExtensionGrant } from "../extension/index.ts"
import { tokenPath } from "../rules/clientAuthentication.ts"
import { challengeMethods } from "../rules/pkce.ts"
import { authorize, resume } from "../features/authorize/index.ts"
import { responseModes, responseTypes } from "../features/authorize/parse.ts"
import { prompts } from "../features/authorize/rules.ts"
import { consent } from "../features/consent/index.ts"
import { type Capabilities, authorizationServer, openidConfiguration } from "../features/discovery/index.ts"
import { deviceAuthorization } from "../features/device/authorization.ts"
import { devicePage } from "../features/device/page.ts"
import { deviceQr } from "../features/device/qr.ts"
import type { Endpoint } from "../settle/endpoint.ts"
import { endSession } from "../features/end-session/index.ts"
import { endSessionOfMine, home, withdrawConsent } from "../features/home/index.ts"
import { introspection } from "../features/introspection/index.ts"
import { jwks } from "../features/jwks/index.ts"
import { login } from "../features/login/index.ts"
import { logout } from "../features/logout/index.ts"
import { ownForm } from "../settle/ownForm.ts"
import { revocation } from "../features/revocation/index.ts"
import { token } from "../features/token/index.ts"
import { grants } from "./grants.ts"
import { upstream } from "../features/upstream/index.ts"
import { userinfo } from "../features/userinfo/index.ts"

/** What the built-in tables make the provider capable of; with its extension grants, discovery states this and no more. */
export const capabilities: Capabilities = {
  paths: {
    authorize: authorize.path,
    token: tokenPath,
    userinfo: userinfo.path,
    revocation: revocation.path,
    introspection: introspection.path,
    jwks: jwks.path,
    endSession: endSession.path,
    deviceAuthorization: deviceAuthorization.path,
  },
  responseTypes,
  responseModes,
  grantTypes: [...grants.map(({ grantType }) => grantType), "implicit"],
  challengeMethods,
  prompts,
}

const withExtensions = (extensions: ReadonlyArray<ExtensionGrant>): Capabilities => ({
  ...capabilities,
  grantTypes: [...capabilities.grantTypes, ...extensions.map(({ name }) => name)],
})

/** Every endpoint of a provider with these extension grants; a callback for each other provider joins them. */
export const endpointsWith = (extensions: ReadonlyArray<ExtensionGrant>): ReadonlyArray<Endpoint> => [
  openidConfiguration(withExtensions(extensions)),
  authorizationServer(withExtensions(extensions)),
  jwks,
  authorize,
  resume,
  token(grants, extensions),
  userinfo,
  revocation,
  introspection,
  deviceAuthorization,
  ownForm(devicePage),
  deviceQr,
  ownForm(login),
  ownForm(upstream),
  ownForm(consent),
  home,
  endSession,
  endSessionOfMine,
  withdrawConsent,
  logout,
]

/** Every endpoint that is built in. */
export const endpoints: ReadonlyArray<Endpoint> = endpointsWith([])
