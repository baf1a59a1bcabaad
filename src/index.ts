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
export type { CallOptions } from './platform/application.js';
export {
  createPlatformClient,
  type PlatformClient,
  type PlatformClientOptions,
} from './platform/create-platform-client.js';
export type { ReplayInput } from './platform/fetch-replay-manifest.js';
export type { ReplayManifest, ReplaySegment, ReplayVariant } from './platform/parse-replay-manifest.js';
export type { ClientStatus, Failure, PlatformError, PlatformResult, RetryNotice } from './platform/platform-error.js';
export { PUBLISH_TYPES, type PublishInput, type PublishType } from './platform/publish-uri.js';
export type { RegisterOptions, Registration } from './platform/register-callback.js';
export type { Moment } from './platform/replay-time.js';
export type { RestreamInput } from './platform/restream.js';
export type { RetryOptions } from './platform/retry-schedule.js';
export type { IngestedStream } from './platform/stream-answer.js';
export {
  type Callback,
  callbackSchema,
  callbackTarget,
  formatCallback,
  parseCallback,
  type ResolvedCallback,
  resolveCallback,
} from './protocol/callback-endpoint.js';
export {
  createEdgeToken,
  EDGE_TOKEN_TYPES,
  type EdgeToken,
  type EdgeTokenClaims,
  type EdgeTokenFlaw,
  type EdgeTokenOptions,
  type EdgeTokenType,
  type EdgeTokenVerification,
  readEdgeToken,
  verifyEdgeToken,
} from './protocol/edge-token.js';
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
export { sluiceMiddleware } from './receiver/sluice-middleware.js';
export { createManualClock, type ManualClock } from './sandbox/clock/manual-clock.js';
export { createSandbox } from './sandbox/create-sandbox.js';
export type { Sandbox, SandboxOptions, TokenRequest } from './sandbox/sandbox.js';
