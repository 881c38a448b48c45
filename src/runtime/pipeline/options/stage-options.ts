import * as z from 'zod';
import { allOnResume, onResume } from '../../../engine/core/schema/on-resume.js';
import { schemaMessages } from '../../../engine/core/schema/schema-messages.js';
import { suggestion } from '../../../engine/core/wording/nearest.js';
import { askedUnits } from '../../../engine/models/learning/question-budget.js';
import { replayFrom } from '../../../engine/models/learning/replay-memory.js';
import { type Named, oneOf } from './one-of.js';

/** A loss as a stage's options describe it. */
interface DescribedLoss extends Named {
  readonly summary: string;
}

/** The stage `batch`. */
export const batchOptions = onResume(
  'work',
  z.strictObject({
    sentences: z.int().min(1).optional().describe('maximum number of sentences in a minibatch'),
    tokens: z.int().min(1).optional().describe('maximum number of tokens in a minibatch'),
    milliseconds: z
      .optional(z.int().min(0))
      .describe(
        'emit an unfinished minibatch after this time in milliseconds; only for tagging; default: 0, as soon as no further sentence is available',
      ),
  }),
  ({ kind }) => kind === 'tag',
);

export type BatchOptions = z.output<typeof batchOptions>;

/** Returns the schema of the stage `contribute`, with the losses that it can name. */
export function contributeOptionsOf(losses: readonly DescribedLoss[]) {
  const names = losses.map(({ name }) => name);
  const described = losses.map(({ name, summary }) => `${name}: ${summary}`).join('; ');
  const withOptions = oneOf(losses);
  return z
    .strictObject({
      loss: z
        .union([z.enum(names), withOptions], {
          error: ({ input }) => wrongLoss(input, names, withOptions),
        })
        .default('log')
        .describe(`${described}. A loss with options: { name: { option: value } }`),
      cost: z
        .optional(z.number().min(0).max(1000))
        .describe('of softmax-margin: cost of a wrong label; default: 1'),
      missCost: z
        .optional(z.number().min(0).max(1000))
        .describe('of softmax-margin: cost of predicting O inside a span; default: cost'),
    })
    .refine(
      ({ loss, cost, missCost }) =>
        loss === 'softmax-margin' || (cost === undefined && missCost === undefined),
      { message: 'cost and missCost are options of softmax-margin', path: ['cost'] },
    );
}

export type ContributeOptions = z.output<ReturnType<typeof contributeOptionsOf>>;

/** Returns the problem with a loss: its name or its options. */
function wrongLoss(input: unknown, names: readonly string[], options: z.ZodType): string {
  if (typeof input === 'object' && input !== null) {
    const issue = options.safeParse(input, { error: schemaMessages }).error?.issues[0];
    if (issue !== undefined) {
      const path = issue.path.map(String).join('.');
      return path === '' ? issue.message : `${path}: ${issue.message}`;
    }
  }
  return `there is no loss ${JSON.stringify(input)}: ${suggestion(String(input), names)}`;
}

/** The stage `replay`. */
export const replayOptions = z.strictObject({
  keep: z
    .int()
    .min(1)
    .max(1_000_000)
    .default(5000)
    .describe('labelled sentences to keep, of at most 32 KiB each'),
  from: z
    .enum(replayFrom)
    .default('reservoir')
    .describe(
      'reservoir: a random sample of all sentences so far; recent: the last ones; in-doubt: sentences of a reservoir with a large loss',
    ),
  each: z
    .int()
    .min(1)
    .max(100)
    .default(4)
    .describe('sentences to replay for each new labelled one'),
  seed: z.int().default(1).describe('seed of what is kept and replayed'),
});

export type ReplayOptions = z.output<typeof replayOptions>;

/** The stage `ask`, with the transports that it can name. */
export const askOptionsOf = (transports: readonly Named[]) =>
  z
    .strictObject({
      share: z
        .number()
        .positive()
        .max(1)
        .default(0.05)
        .describe('tokens to ask for, as a share of all tokens of unlabelled records'),
      of: z
        .enum(askedUnits)
        .default('tokens')
        .describe(
          'tokens: those with the least certain tags; spans: the spans around them; records: whole records',
        ),
      random: z
        .number()
        .min(0)
        .max(1)
        .default(0.1)
        .describe(
          'part of the share for whole records drawn at random, whose answers give an unbiased estimate',
        ),
      ...allOnResume('place', {
        file: z
          .optional(z.string().min(1))
          .describe('where to write the questions: NDJSON, which annotate takes as its queue'),
        to: z
          .optional(oneOf(transports))
          .describe('the transport that sends the questions, each as a message, instead of a file'),
      }),
      seed: z.int().default(1).describe('seed of the records that are drawn'),
    })
    .refine(({ file, to }) => (file === undefined) !== (to === undefined), {
      message: 'expected either file or to',
      path: ['file'],
    });

export type AskOptions = z.output<ReturnType<typeof askOptionsOf>>;

/** The stage `join`, with the sources from which it can read labels. */
export const joinOptionsOf = (sources: readonly Named[]) =>
  z.strictObject({
    labels: oneOf(sources)
      .optional()
      .describe('where labels come from, as a source; default: from the stream itself'),
    keep: z
      .int()
      .min(1)
      .max(10_000_000)
      .default(100_000)
      .describe('maximum number of records that wait for their labels'),
    bytes: z
      .int()
      .min(1)
      .default(2 ** 28)
      .describe('maximum bytes of these records, at two per UTF-16 unit'),
    age: z
      .int()
      .min(1)
      .optional()
      .describe('maximum number of records that may arrive while one waits; default: no limit'),
    early: z
      .int()
      .min(1)
      .max(5000)
      .default(1000)
      .describe('maximum number of labels that wait for their records'),
  });

export type JoinOptions = z.output<ReturnType<typeof joinOptionsOf>>;

/** The stage `evaluate`, with the sources that it can read. */
export const evaluateOptionsOf = (sources: readonly Named[]) =>
  z
    .strictObject({
      every: z
        .union([z.literal('epoch'), z.int().min(1)])
        .default('epoch')
        .describe(
          'passes, steps of a regularisation path, or rounds of a sharded stream between two evaluations',
        ),
      // What is held out decides when training stops, and which model is kept.
      on: onResume(undefined, oneOf(sources).optional().describe('held-out data, as a source')),
      patience: z
        .optional(z.int().min(1))
        .describe(
          'stop training when the score has not improved for this many evaluations; keep the best model',
        ),
      best: z.boolean().default(false).describe('keep the best model without stopping early'),
      rank: onResume(
        'observation',
        z
          .optional(z.int().min(1).max(1000))
          .describe(
            'also report the rank loss, on the section test too: how many of the N best tag sequences score higher than the gold tags',
          ),
      ),
      progressive: z
        .boolean()
        .default(false)
        .describe('prequential evaluation: score each sentence before learning from it'),
      ...allOnResume('observation', {
        window: z
          .int()
          .min(1)
          .default(1000)
          .describe('progressive: window of the recent scores, in sentences'),
        halfLife: z
          .number()
          .min(1)
          .default(1000)
          .describe('progressive: half-life of the decayed scores, in sentences'),
      }),
      warn: onResume(
        'observation',
        z
          .strictObject({
            sentences: z
              .int()
              .min(1)
              .default(500)
              .describe('warn when only one label was predicted in this many labelled sentences'),
            drop: z
              .number()
              .positive()
              .max(100)
              .default(5)
              .describe(
                'warn when the recent score (F1 of spans, else accuracy) is this many points below its usual level',
              ),
            newWords: z
              .number()
              .positive()
              .max(100)
              .default(15)
              .describe(
                'warn when the percentage of unseen words is this many points above its usual level; 100: never',
              ),
            newLabels: z
              .number()
              .positive()
              .max(100)
              .default(25)
              .describe('warn when this percentage of the labels in the last sentences is new'),
            deviations: z
              .number()
              .positive()
              .default(5)
              .describe(
                'for drop and newWords: warn only if the change also exceeds this many standard deviations',
              ),
            recent: z
              .number()
              .min(1)
              .default(30)
              .describe(
                'longest half-life of the recent errors, in sentences; a third and a sixth of it are also watched',
              ),
            usual: z
              .number()
              .min(1)
              .default(1000)
              .describe(
                'half-life of the usual errors, in sentences; longer than recent, but shorter at the start',
              ),
          })
          .prefault({})
          .describe('progressive: when to warn that the model may have degraded'),
        ({ answersDrift }) => !answersDrift,
      ),
      drift: z
        .strictObject({
          detector: z
            .union([
              z.enum(['watch', 'adwin', 'page-hinkley', 'ddm']),
              z.strictObject({
                adwin: z.strictObject({ delta: z.number().gt(0).lt(1).optional() }),
              }),
              z.strictObject({
                'page-hinkley': z.strictObject({
                  tolerance: z.number().min(0).optional(),
                  threshold: z.number().positive().optional(),
                }),
              }),
              z.strictObject({
                ddm: z.strictObject({
                  least: z.int().min(1).optional(),
                  deviations: z.number().positive().optional(),
                }),
              }),
            ])
            .default('watch')
            .describe(
              'drift detector: watch, with the options of warn; or a detector of one series, with options such as { adwin: { delta: 0.002 } }',
            ),
          on: z
            .enum(['errors', 'labels', 'confidence', 'words'])
            .optional()
            .describe(
              'series of the other detectors: errors, those of each label, doubt about the tags of all records, or new words; default: errors',
            ),
          answer: z
            .enum(['warn', 'restart-steps', 'reset', 'shadow'])
            .default('warn')
            .describe(
              'warn; restart step sizes; reset all weights; or train a shadow learner that takes over when it makes fewer errors',
            ),
        })
        .refine(({ detector, on }) => detector !== 'watch' || on === undefined, {
          message: 'watch has its own series: leave "on" out, or use another detector',
          path: ['on'],
        })
        .prefault({})
        .describe('progressive: how to detect drift, and how to respond'),
      report: onResume(
        'observation',
        z.int().min(1).default(1000).describe('progressive: sentences between two reports'),
      ),
    })
    .refine(chosen => chosen.progressive !== (chosen.on !== undefined), {
      message: 'either on (held-out data) or progressive: true is needed',
    })
    .refine(({ progressive, rank }) => !progressive || rank === undefined, {
      message: 'ranks are counted on held-out data: leave "rank" out, or use "on"',
      path: ['rank'],
    });

export type EvaluateOptions = z.output<ReturnType<typeof evaluateOptionsOf>>;

/** The stage `checkpoint`. */
export const checkpointOptions = z.strictObject({
  dir: onResume('place', z.string().min(1).describe('folder of the checkpoints')),
  ...allOnResume('observation', {
    every: z
      .optional(z.union([z.literal('epoch'), z.int().min(1)]))
      .describe('passes (rounds of a sharded stream) between two checkpoints'),
    sentences: z
      .optional(z.int().min(1))
      .describe('sentences (for tagging: records) between two checkpoints'),
    seconds: z.number().positive().optional().describe('seconds between two checkpoints'),
    keep: z.int().min(1).default(3).describe('checkpoints to keep'),
    model: z
      .boolean()
      .default(false)
      .describe(
        "also write the model of each checkpoint to the pipeline's model file, for `tag --watch` to load while training continues",
      ),
  }),
});

export type CheckpointOptions = z.output<typeof checkpointOptions>;
