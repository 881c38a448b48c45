// The entry `tagstream/client`: asks a service of `tagstream serve`, in Node and in pages, with `fetch` alone.

export type { ErrorCode, ErrorPlace } from '../core/errors.js';
export { TagstreamError } from '../core/errors.js';
export { Client, createClient } from '../serve/client/client.js';

// types

export type {
  ClientExplainOptions,
  ClientOptions,
  ClientStreamOptions,
  ClientTagOptions,
  RequestSignal,
} from '../serve/client/client.js';
export type { GivenRecords } from '../serve/client/waiting-lines.js';
export type { ExplainRequest, TagRequest } from '../serve/requests/wish.js';
export type {
  ExplainedAnswer,
  GivenRecord,
  ServiceModel,
  TaggedRecord,
} from '../serve/schemas.js';
