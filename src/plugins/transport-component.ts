import type { ZodObject } from 'zod';
import type { TransportDefinition } from './definitions.js';
import type { MessageTransport, TransportSetting } from './messages.js';

/** A transport that brings messages. */
export type MessageOrigin = Required<Pick<MessageTransport, 'name' | 'read'>> &
  Pick<MessageTransport, 'state' | 'close'>;

/** A transport that takes messages. */
export type MessageTarget = Required<Pick<MessageTransport, 'name' | 'write'>> &
  Pick<MessageTransport, 'takes'>;

/** A transport as pipeline files name it, its options checked. */
export interface TransportComponent extends Pick<TransportDefinition, 'name' | 'summary'> {
  readonly example: string;
  readonly options: ZodObject;
  /** @throws TagstreamError `config` that names it, for what it throws or lacks */
  reading(options: unknown, setting: TransportSetting): MessageOrigin;
  writing(options: unknown, setting: TransportSetting): MessageTarget;
}
