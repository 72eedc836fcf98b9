// The delivery of messages that a store keeps, for whoever writes a loop of their own.
export {
  type Delivery,
  type DeliveryHandler,
  type DeliveryPolicy,
  type Undelivered,
  changedBefore,
  claimOf,
  deferred,
  deliveryPolicy,
  hasAttemptLeft,
  settled,
} from "./settle/outbox.ts"
