// The entry `tagstream/serve`: the tagging service, to be mounted in your own server; for Node.

export { createService } from '../serve/service.js';

// types

export type { ModelEvents } from '../serve/models/served-model.js';
export type { Service } from '../serve/service.js';
export type { ServiceStatus } from '../serve/service-metrics.js';
export type { ServiceLimits, ServiceOptions } from '../serve/service-options.js';
