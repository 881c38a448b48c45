import * as z from 'zod';
import { allOnResume, onResume } from '../engine/core/schema/on-resume.js';
import { isOn, maybeOneOf } from '../engine/core/schema/option-kinds.js';
import { replicasOption, serverShape } from '../engine/interfaces/server-options.js';

/** Name of a stream or consumer. */
const name = z.string().regex(/^[^\s.*>/\\]{1,240}$/, {
  message: 'expected a name of up to 240 characters without spaces, full stops, slashes, * and >',
});

/** Options of the transport `nats`. */
export const transportShape = z.strictObject({
  ...serverShape,
  stream: name
    .optional()
    .describe('the stream to read; for a sink, the stream that must store the records'),
  subject: z
    .string()
    .regex(/^[^\s]{1,2000}$/, {
      message: 'expected a subject of up to 2,000 characters without spaces',
    })
    .optional()
    .describe(
      'source: read only messages of this subject, * and > allowed; sink: where records go, with {label}, {id} and {subject} replaced by parts of the record',
    ),
  consumer: name
    .optional()
    .describe(
      'durable pull consumer that shares the work among all runs that name it; required for tagging',
    ),
  partition: maybeOneOf(
    ['id'],
    'source: results of records with the same id keep their order for any number of runs that share the consumer; messages of each of SUBJECT.0, SUBJECT.1, ... are processed one at a time',
  ),
  partitions: z
    .int()
    .min(1)
    .max(1024)
    .default(16)
    .describe(
      'source with partition: number of partitions, which is also the number of messages in flight over all runs',
    ),
  start: z
    .union([z.enum(['all', 'new']), z.int().min(1), z.iso.datetime()])
    .default('all')
    .describe('where a new consumer or learner begins: all, new, a sequence number, or a time'),
  follow: onResume(
    'length',
    isOn(true, 'wait for new messages at the end of the stream; false: end there'),
  ),
  deliveries: onResume(
    'work',
    z.int().min(1).default(5).describe('attempts per message; after that it is rejected'),
  ),
  ackWait: onResume(
    'work',
    z
      .number()
      .min(1)
      .default(30)
      .describe('seconds after which the messages of a silent run go to another run'),
  ),
  together: isOn(
    false,
    'sink: sends the results of all records of a message as one message, which is faster if messages hold many',
  ),
  ...allOnResume('place', {
    create: isOn(false, 'creates the stream and the consumer if they do not exist'),
    replicas: replicasOption(),
    window: z
      .number()
      .min(1)
      .default(120)
      .describe('seconds within which a stream that this run creates recognizes duplicates'),
  }),
});

/** Validated options of the transport `nats`. */
export type TransportOptions = z.output<typeof transportShape>;
