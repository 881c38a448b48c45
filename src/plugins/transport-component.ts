import type { ZodObject } from 'zod';
import type { TransportDefinition } from './definitions.js';
import type { MessageTransport } from './messages.js';

/** A transport of a plug-in that was checked. */
export interface TransportComponent extends Pick<TransportDefinition, 'name' | 'summary'> {
  readonly example: string;
  readonly options: ZodObject;
  /** @throws TagstreamError `config` that names it, for what it throws or lacks */
  reading(options: unknown): Required<Pick<MessageTransport, 'name' | 'read'>>;
  writing(options: unknown): Required<Pick<MessageTransport, 'name' | 'write'>>;
}
