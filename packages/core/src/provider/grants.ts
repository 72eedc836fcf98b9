import { authorizationCode } from "../features/authorization-code/index.ts"
import { clientCredentials } from "../features/client-credentials/index.ts"
import { deviceCode } from "../features/device/index.ts"
import { password } from "../features/password/index.ts"
import { refreshToken } from "../features/refresh-token/index.ts"
import type { Grant } from "../issuance/index.ts"

/** The grant types that are built in, in the order discovery names them. */
export const grants: ReadonlyArray<Grant> = [authorizationCode, refreshToken, clientCredentials, password, deviceCode]
