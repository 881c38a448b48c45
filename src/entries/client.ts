// The entry `tagstream/client`: a client of the service `tagstream serve`, for Node and for pages,
// based only on `fetch`.

export type { ErrorCode, ErrorPlace } from '../engine/core/errors.js';
export { TagstreamError } from '../engine/core/errors.js';
export { Client, createClient } from '../service/serve/client/client.js';

// types

export type {
  ClientExplainOptions,
  ClientOptions,
  ClientStreamOptions,
  ClientTagOptions,
  RequestSignal,
} from '../service/serve/client/client.js';
export type { GivenRecords } from '../service/serve/client/waiting-lines.js';
export type { ExplainRequest, TagRequest } from '../service/serve/requests/wish.js';
export type {
  ExplainedAnswer,
  GivenRecord,
  ServiceModel,
  TaggedRecord,
} from '../service/serve/schemas.js';
