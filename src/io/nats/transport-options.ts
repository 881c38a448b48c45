import * as z from 'zod';
import { isOn, maybeOneOf } from '../../core/schema/option-kinds.js';
import { serverShape } from './connection/server-options.js';

/** A name of a stream or consumer. */
const name = z.string().regex(/^[^\s.*>/\\]{1,240}$/, {
  message:
    'a name of up to 240 characters without spaces, full stops, slashes, * and > is expected',
});

/** Options of the transport `nats`. */
export const transportShape = z.strictObject({
  ...serverShape,
  stream: name
    .optional()
    .describe('the stream to read; for a sink: the one that must store the records'),
  subject: z
    .string()
    .regex(/^[^\s]{1,2000}$/, {
      message: 'a subject of up to 2,000 characters without spaces is expected',
    })
    .optional()
    .describe(
      'source: only messages of this subject, * and > allowed; sink: where records go, {label}, {id} and {subject} stand for parts of the record',
    ),
  consumer: name
    .optional()
    .describe(
      'durable pull consumer that shares the work among all runs that name it; required for tagging',
    ),
  partition: maybeOneOf(
    ['id'],
    'source: results of records with the same id keep their order, however many runs share the consumer; the messages of SUBJECT.0, SUBJECT.1, ... are worked on one after the other',
  ),
  partitions: z
    .int()
    .min(1)
    .max(1024)
    .default(16)
    .describe('source with partition: how many there are, and so messages in flight of all runs'),
  start: z
    .union([z.enum(['all', 'new']), z.int().min(1), z.iso.datetime()])
    .default('all')
    .describe('where a new consumer or learner begins: all, new, a sequence number, or a time'),
  follow: isOn(
    true,
    'whether the run waits for new messages at the end of the stream, or ends there',
  ),
  deliveries: z
    .int()
    .min(1)
    .default(5)
    .describe('times that a message is tried; one that comes again after that is rejected'),
  ackWait: z
    .number()
    .min(1)
    .default(30)
    .describe('seconds after which the messages of a run that is silent go to another run'),
  together: isOn(
    false,
    'sink: sends what comes of all records of a message as one message, which is fast where messages hold many',
  ),
  create: isOn(false, 'creates the stream and the consumer if they are not there'),
  replicas: z.int().min(1).max(5).default(1).describe('copies of a stream that is created'),
  window: z
    .number()
    .min(1)
    .default(120)
    .describe('seconds within which a created stream recognizes a record that is sent twice'),
});

/** Options of the transport `nats`, checked. */
export type TransportOptions = z.output<typeof transportShape>;
