// The entry `tagstream/browser`: tagging in a page, with as little code as possible and without
// RxJS.

// tagging

export type { ErrorCode, ErrorPlace } from '../engine/core/errors.js';
export { TagstreamError } from '../engine/core/errors.js';
export { bundleModels } from '../engine/models/files/bundle-models.js';
export { Tagger } from '../engine/models/tagger.js';
export { redact } from '../engine/text/redact.js';

// types

export type { BundledModel, BundleOptions } from '../engine/models/files/bundle-models.js';
export type { RedactedSpan } from '../engine/text/redact.js';
