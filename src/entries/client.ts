// The entry `tagstream/client`: a client of the service `tagstream serve`, for Node and for pages,
// based only on `fetch`.

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
