import { type Observable, tap } from 'rxjs';
import * as z from 'zod';
import { TagstreamError } from '../../core/errors.js';
import type { Evaluator } from '../../core/training/evaluator.js';
import type { Scores, TrainingStep } from '../../core/training/training-step.js';
import { DriftWatch } from '../../metrics/drift-watch.js';
import { ProgressiveScores } from '../../metrics/scores/progressive-scores.js';
import { writeModel } from '../../models/files/model-file.js';
import { EarlyStopping } from '../../models/learning/early-stopping.js';
import { HeldOutEvaluator } from '../../models/learning/held-out-evaluator.js';
import { evaluate } from '../../operators/evaluate.js';
import { evaluateProgressive, shownScores } from '../../operators/evaluate-progressive.js';
import type { RunSetup } from '../definition/run-setup.js';
import { defineStage, type StageComponent } from '../definition/stage-component.js';
import { weightSelectionOf } from '../learners/weight-selection-of.js';
import { chosenOf, oneOf } from '../options/one-of.js';
import { readSentences } from '../setup/read-sentences.js';
import { restorePart } from '../setup/restore-run.js';
import { filesOf } from '../sources/common-options.js';
import type { SourceComponent } from '../sources/source-component.js';

const optionsOf = (sources: readonly SourceComponent[]) =>
  z
    .strictObject({
      every: z
        .union([z.literal('epoch'), z.int().min(1)])
        .default('epoch')
        .describe(
          'passes, steps of a regularisation path, or rounds of a stream in shards, from one evaluation to the next',
        ),
      on: oneOf(sources).optional().describe('held-out data, as a source'),
      patience: z
        .int()
        .min(1)
        .optional()
        .describe(
          'stop training when the score has not improved for this many evaluations; keep the best model',
        ),
      best: z
        .boolean()
        .default(false)
        .describe('keep the best model without ending training early'),
      progressive: z
        .boolean()
        .default(false)
        .describe('prequential evaluation: score each sentence before learning from it'),
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
      warn: z
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
              'warn when the recent score (F1 of spans, else accuracy) is this many points below the usual one',
            ),
          newWords: z
            .number()
            .positive()
            .max(100)
            .default(15)
            .describe(
              'warn when the percentage of words that were not there before is this many points above the usual one; 100: never',
            ),
          newLabels: z
            .number()
            .positive()
            .max(100)
            .default(25)
            .describe(
              'warn when this percentage of the labels in the last sentences were not there before',
            ),
          deviations: z
            .number()
            .positive()
            .default(5)
            .describe(
              'of drop and newWords: and the recent numbers exceed the usual ones by this many standard deviations',
            ),
          recent: z
            .number()
            .min(1)
            .default(30)
            .describe(
              'longest half-life of the recent errors, in sentences; a third and a sixth of it are looked at too',
            ),
          usual: z
            .number()
            .min(1)
            .default(1000)
            .describe(
              'half-life of the usual errors, in sentences; longer than recent, and shorter at the beginning',
            ),
        })
        .prefault({})
        .describe('progressive: when to warn that the model may have degraded'),
      report: z.int().min(1).default(1000).describe('progressive: sentences between two reports'),
    })
    .refine(chosen => chosen.progressive !== (chosen.on !== undefined), {
      message: 'either on (held-out data) or progressive: true is needed',
    });

type Options = z.output<ReturnType<typeof optionsOf>>;

/** The stage `evaluate` with the sources that it can read held-out data from. */
export function evaluateStage(sources: readonly SourceComponent[]): StageComponent {
  return defineStage({
    name: 'evaluate',
    summary: 'scores held-out data after passes, or each sentence before learning from it',
    example: 'evaluate: { on: { conll: { files: [dev.txt] } }, patience: 3 }',
    takes: ['training step'],
    gives: 'training step',
    options: optionsOf(sources),
    files: ({ on }) =>
      on === undefined
        ? []
        : filesOf(chosenOf(sources, on).options).map(file => ({
            ...{ file, at: 'on', what: 'the held-out data' },
          })),
    create: (chosen, setup) =>
      chosen.progressive ? progressive(chosen, setup) : heldOut(chosen, sources, setup),
  });
}

function heldOut(chosen: Options, sources: readonly SourceComponent[], setup: RunSetup) {
  const patience = chosen.patience ?? (chosen.best ? Number.POSITIVE_INFINITY : undefined);
  let evaluator: Evaluator | undefined;
  setup.preparations.push(async () => {
    const source = chosenOf(sources, chosen.on!);
    const sentences = await readSentences(source, setup);
    if (patience !== undefined && sentences.every(({ tags }) => tags === undefined)) {
      throw new TagstreamError(
        'config',
        `${chosen.patience === undefined ? 'best' : 'patience'} needs scores, and no sentence of the held-out data is fully labelled`,
        { fix: 'name data with a gold tag for each token, or leave it out' },
      );
    }
    setup.heldOut = { source, sentences };
    evaluator = new HeldOutEvaluator(setup.learner, sentences);
  });
  if (patience !== undefined) {
    setup.stopping = new EarlyStopping(patience, () =>
      writeModel(setup.learner, weightSelectionOf(setup)),
    );
    if (setup.restored?.stopping !== undefined) {
      const { stopping } = setup;
      restorePart(setup.restored, 'stopping', state => stopping.restore(state));
    }
  }
  return (source: Observable<TrainingStep>) =>
    source.pipe(
      evaluate(evaluator!, {
        every: chosen.every === 'epoch' ? 1 : chosen.every,
        ...(setup.stopping === undefined ? {} : { stopping: setup.stopping }),
      }),
    );
}

function progressive(chosen: Options, setup: RunSetup) {
  if (setup.train?.epochs !== undefined) {
    throw new TagstreamError('config', 'progressive scores are for a stream that is read once', {
      fix: 'leave train.epochs out, or evaluate on held-out data',
    });
  }
  setup.predict = true;
  const { window, halfLife, warn } = chosen;
  const progress = new ProgressiveScores({ spanScheme: true, window, halfLife });
  const watch = new DriftWatch(warn);
  if (setup.restored?.drift !== undefined) {
    restorePart(setup.restored, 'drift', state => watch.restore(state));
  }
  setup.drift = watch;
  if (setup.restored?.progress !== undefined) {
    restorePart(setup.restored, 'progress', state => progress.restore(state));
  }
  setup.progress = progress;
  const shown = (scores: Scores) => shownScores(scores, setup.model);
  if (setup.status !== undefined) {
    setup.status.progress = () => ({
      all: shown(progress.scores()),
      recent: shown(progress.inWindow()),
    });
  }
  return (source: Observable<TrainingStep>) => {
    // At multiples, wherever a resumed run starts.
    const seen = setup.learner.sentencesSeen;
    let next = (Math.floor(seen / chosen.report) + 1) * chosen.report;
    return source.pipe(
      evaluateProgressive(setup.model, progress, {
        watch,
        onWarning: ({ code, message }) => setup.events.onWarning?.(code, message),
      }),
      tap(step => {
        if (step.sentencesSeen < next) return;
        next += chosen.report;
        const decayed = progress.decayed.scores(true);
        setup.events.onProgress?.(step, shown(progress.scores()), shown(progress.inWindow()), {
          ...shown(decayed),
          loss: decayed.loss,
        });
      }),
    );
  };
}
