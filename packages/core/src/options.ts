// The checks of what callers without types give to the functions of Postern's packages, so that all of them answer in the same words.
export { type MemberKind, type MemberKinds, kindFault, memberFaults, partFaults, refuseFaults } from "./model/members.ts"
export { rowKindsFault } from "./model/rowKindsFault.ts"
export { inSeconds, secondsOf } from "./ports/inSeconds.ts"
export { deliveryPolicyKinds } from "./settle/deliveryPolicyKinds.ts"
