export { defineHandler } from './handlers/define-handler.js';
export { PermanentError, RetryAfterError } from './handlers/errors.js';
export type {
  Handler,
  HandlerContext,
  HandlerDefinition,
  HandlerLog,
  NotificationOf,
  OnExhausted,
  Subscription,
} from './handlers/handler.js';
export {
  type Callback,
  callbackSchema,
  callbackTarget,
  formatCallback,
  parseCallback,
  type ResolvedCallback,
  resolveCallback,
} from './protocol/callback-endpoint.js';
export { type HeaderNames, headerNames } from './protocol/header-names.js';
export {
  type EndedNotification,
  isKnownKind,
  KNOWN_KINDS,
  type KnownKind,
  type KnownNotification,
  type LiveNotification,
  type Notification,
  type NotificationByKind,
  notificationSchema,
  type OnDemandNotification,
  type StartedNotification,
  type UnknownNotification,
  unknownNotificationSchema,
} from './protocol/notification.js';
export { type ReadResult, readNotification } from './protocol/read-notification.js';
export {
  CHECKS,
  type Check,
  type NotificationToSign,
  type SignedRequest,
  signNotification,
  type Verification,
  type VerifiedBody,
  type VerifyOptions,
  verifyNotification,
} from './protocol/signature.js';
export {
  type Operation,
  type RetryGuidance,
  retryGuidance,
  STATUSES,
  type Status,
  type StatusName,
} from './protocol/statuses.js';
