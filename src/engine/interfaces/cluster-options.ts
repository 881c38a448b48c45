import * as z from 'zod';
import { allOnResume } from '../core/schema/on-resume.js';
import { isOn } from '../core/schema/option-kinds.js';
import { replicasOption, serverShape } from './server-options.js';

/** Options for the storage of training tasks and results, and for connecting to the servers. */
export const trainingStoreShape = {
  ...serverShape,
  ...allOnResume('place', {
    stream: z
      .string()
      .regex(/^[\w-]{1,200}$/, {
        message: 'expected a name of up to 200 letters, digits, _ and -',
      })
      .default('training')
      .describe('name shared by the work queue, the object bucket and the key bucket'),
    ackWait: z
      .number()
      .min(1)
      .default(30)
      .describe('seconds after which the task of a silent worker goes to another worker'),
  }),
};

/** Options of `train.cluster`. */
export const clusterOptions = z.strictObject({
  shards: z
    .int()
    .min(1)
    .max(4096)
    .describe('parts of the corpus that are trained in parallel; the model depends on it'),
  every: z
    .int()
    .min(1)
    .optional()
    .describe(
      'on a stream, without epochs: labelled sentences between two mixings of the shards; the model depends on it',
    ),
  ...trainingStoreShape,
  ...allOnResume('work', {
    create: isOn(false, 'creates the stream, its consumer and the buckets if they do not exist'),
    replicas: replicasOption(),
    work: isOn(true, 'whether the coordinator also works on tasks; if not, it needs workers'),
    lease: z
      .number()
      .min(2)
      .default(15)
      .describe('seconds of silence after which another coordinator takes over'),
  }),
});

/** Validated options of `train.cluster`. */
export type ClusterOptions = z.output<typeof clusterOptions>;

/** The options that a worker needs. */
export type TrainingStoreOptions = Omit<ClusterOptions, 'shards' | 'every' | 'work' | 'lease'>;

/** Cost of a training on many machines. */
export interface ClusterReport {
  readonly shards: number;
  readonly passes: number;
  /** Total seconds of all passes, each from its weights to its last result. */
  readonly seconds: number;
  /** Compressed bytes of the job and of the corpus shards. */
  readonly corpusBytes: number;
  /** Compressed bytes of the initial weights of all passes, which each worker reads once. */
  readonly weightBytes: number;
  /** Compressed bytes of the results. */
  readonly resultBytes: number;
  /** Number of tasks that this process has done. */
  readonly ownTasks: number;
}
