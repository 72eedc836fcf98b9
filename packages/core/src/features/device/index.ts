export { deviceCode } from "./grant.ts"
export { type WaitingDevice, allowDevice, denyDeviceOf, lookAtDevice } from "./ownPage.ts"
