// The entry `tagstream/browser`: tagging in a page, with as little code as possible and without
// RxJS.

// tagging

export type { ErrorCode, ErrorPlace } from '../core/errors.js';
export { TagstreamError } from '../core/errors.js';
export { bundleModels } from '../models/files/bundle-models.js';
export { Tagger } from '../models/tagger.js';
export { redact } from '../text/redact.js';

// types

export type { BundledModel, BundleOptions } from '../models/files/bundle-models.js';
export type { RedactedSpan } from '../text/redact.js';
