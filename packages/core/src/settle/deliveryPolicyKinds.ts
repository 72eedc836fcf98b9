import type { MemberKinds } from "../model/members.ts"
import type { DeliveryPolicy } from "./outbox.ts"

/** The kinds of the members of a policy. */
export const deliveryPolicyKinds: MemberKinds<DeliveryPolicy> = {
  lease: "number",
  first: "number",
  longest: "number",
  most: "number",
  keepDead: "number",
}
