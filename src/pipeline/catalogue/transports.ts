import { natsTransport } from '../../io/nats/nats-transport.js';
import type { TransportComponent } from '../../plugins/loaded-plugin.js';

/** Every transport that a pipeline file can name without plug-ins; files are named by `files`. */
export const transports: readonly TransportComponent[] = [natsTransport];
