// The entry `tagstream/serve`: the tagging service, to be mounted in your own server; for Node.

export { createService } from '../service/serve/service.js';

// types

export type { ModelEvents } from '../service/serve/models/served-model.js';
export type { Service } from '../service/serve/service.js';
export type { ServiceStatus } from '../service/serve/service-metrics.js';
export type { ServiceLimits, ServiceOptions } from '../service/serve/service-options.js';
