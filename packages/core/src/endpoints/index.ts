import type { ExtensionGrant } from "../extension/index.ts"
import { tokenPath } from "../rules/clientAuthentication.ts"
import { challengeMethods } from "../rules/pkce.ts"
import { authorize, goOn, resume } from "./authorize/index.ts"
import { responseModes, responseTypes } from "./authorize/parse.ts"
import { prompts } from "./authorize/rules.ts"
import { consent } from "./consent/index.ts"
import { type Capabilities, authorizationServer, openidConfiguration } from "./discovery/index.ts"
import { deviceAuthorization } from "./device/authorization.ts"
import { devicePage } from "./device/index.ts"
import { deviceQr } from "./device/qr.ts"
import type { Endpoint } from "./endpoint.ts"
import { endSession } from "./end-session/index.ts"
import { endSessionOfMine, home, withdrawConsent } from "./home/index.ts"
import { introspection } from "./introspection/index.ts"
import { jwks } from "./jwks/index.ts"
import { login } from "./login/index.ts"
import { logout } from "./logout/index.ts"
import { ownForm } from "./ownForm.ts"
import { revocation } from "./revocation/index.ts"
import { grants, token } from "./token/index.ts"
import { upstream } from "./upstream/index.ts"
import { userinfo } from "./userinfo/index.ts"

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
  token(extensions),
  userinfo,
  revocation,
  introspection,
  deviceAuthorization,
  ownForm(devicePage),
  deviceQr,
  ownForm(login(goOn)),
  ownForm(upstream),
  ownForm(consent(goOn)),
  home,
  endSession,
  ownForm(endSessionOfMine),
  ownForm(withdrawConsent),
  ownForm(logout),
]

/** Every endpoint that is built in. */
export const endpoints: ReadonlyArray<Endpoint> = endpointsWith([])
