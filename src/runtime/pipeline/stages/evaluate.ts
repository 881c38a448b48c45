import { type MonoTypeOperatorFunction, pipe, tap } from 'rxjs';
import { TagstreamError } from '../../../engine/core/errors.js';
import type { Sentence } from '../../../engine/core/sentence/sentence.js';
import type { Scores, TrainingStep } from '../../../engine/core/training/training-step.js';
import { ProgressiveScores } from '../../../engine/metrics/scores/progressive-scores.js';
import { DriftMonitor } from '../../../engine/models/learning/drift-monitor.js';
import {
  EarlyStopping,
  HeldOutEvaluator,
} from '../../../engine/models/learning/held-out-evaluator.js';
import type { Learner } from '../../../engine/models/learning/learner.js';
import { detectDrift } from '../../../engine/operators/detect-drift.js';
import { evaluate } from '../../../engine/operators/evaluate.js';
import {
  evaluateProgressive,
  shownScores,
} from '../../../engine/operators/evaluate-progressive.js';
import { isSpanScheme } from '../../../engine/text/tags/tag-scheme.js';
import type { RunContext } from '../definition/run-context.js';
import { defineStage, type StageComponent } from '../definition/stage-component.js';
import { chosenOf } from '../options/one-of.js';
import { evaluateOptionsOf } from '../options/stage-options.js';
import type { EvaluationPart, LearnPlan, TrainPlan } from '../plan/plan.js';
import { readSentences, type SentenceReading } from '../setup/read-sentences.js';
import { restorePart } from '../setup/restore-run.js';
import { type ChosenSource, filesOf, type SourceComponent } from '../sources/source-component.js';
import type { Saves } from './checkpoint.js';

/** Returns the stage `evaluate` with the sources for its held-out data. */
export function evaluateStage(sources: readonly SourceComponent[]): StageComponent {
  return defineStage({
    name: 'evaluate',
    summary: 'scores held-out data after passes, or each sentence before learning from it',
    example: 'evaluate: { on: { conll: { files: [dev.txt] } }, patience: 3 }',
    takes: ['training step'],
    gives: 'training step',
    options: evaluateOptionsOf(sources),
    files: ({ on }) =>
      on === undefined
        ? []
        : filesOf(chosenOf(sources, on).options).map(file => ({
            ...{ file, at: 'on', what: 'the held-out data' },
          })),
  });
}

/** Sentences for scoring a run, and their origin. */
export interface HeldOut {
  readonly source: ChosenSource;
  readonly sentences: readonly Sentence[];
}

/** How a training run is scored while it runs. */
export interface Evaluation {
  /** Ends training according to its scores, and keeps the best model. */
  readonly stopping: EarlyStopping | undefined;
  /** The evaluation's parts of checkpoints. */
  readonly saves: Saves;
  /** Reads the held-out data. */
  open(): Promise<OpenEvaluation>;
}

/** The scoring of each step at which it is due. */
export interface OpenEvaluation {
  readonly score: MonoTypeOperatorFunction<TrainingStep>;
  readonly heldOut?: HeldOut;
}

/** The inputs of an evaluation. */
export interface EvaluationGiven {
  readonly learner: Learner;
  readonly reading: SentenceReading;
  /** Returns the model file with the current weights. */
  readonly modelBytes: () => Uint8Array;
}

/**
 * Builds the evaluation of a plan, restored if the run resumes; undefined if it has none.
 *
 * @throws TagstreamError `config`, `checkpoint`
 */
export function buildEvaluation(
  plan: TrainPlan | LearnPlan,
  given: EvaluationGiven,
  context: RunContext,
): Evaluation | undefined {
  const { evaluation } = plan;
  if (evaluation === undefined) return undefined;
  if (evaluation.kind === 'held-out') return onHeldOut(evaluation, given, context);
  if (plan.kind === 'learn') {
    // If a challenger takes over, a shadow would learn the same again.
    const answers = plan.challenge === undefined;
    return progressively(evaluation, { ...given, answers }, context);
  }
  throw new TagstreamError('config', 'progressive evaluation needs a stream that is read once', {
    fix: 'leave train.epochs out, or evaluate on held-out data',
  });
}

function onHeldOut(
  { source, options }: Extract<EvaluationPart, { readonly kind: 'held-out' }>,
  { learner, reading, modelBytes }: EvaluationGiven,
  { restored }: RunContext,
): Evaluation {
  const { best, every } = options;
  const patience = options.patience ?? (best ? Number.POSITIVE_INFINITY : undefined);
  const stopping = patience === undefined ? undefined : new EarlyStopping(patience, modelBytes);
  if (stopping !== undefined && restored?.stopping !== undefined) {
    restorePart(restored, 'stopping', state => stopping.restore(state));
  }
  return {
    stopping,
    saves: stopping === undefined ? {} : { stopping },
    async open() {
      const sentences = await readSentences(source, reading);
      if (stopping !== undefined && sentences.every(({ tags }) => tags === undefined)) {
        throw withoutScores(options.patience === undefined ? 'best' : 'patience');
      }
      const score = evaluate(new HeldOutEvaluator(learner, sentences, { rank: options.rank }), {
        every: every === 'epoch' ? 1 : every,
        ...(stopping === undefined ? {} : { stopping }),
      });
      return { score, heldOut: { source, sentences } };
    },
  };
}

function withoutScores(option: string): TagstreamError {
  const problem = `${option} needs scores, but no sentence of the held-out data is fully labelled`;
  return new TagstreamError('config', problem, {
    fix: 'use data with a gold tag for each token, or leave it out',
  });
}

function progressively(
  { options }: EvaluationPart,
  { learner, answers }: EvaluationGiven & { readonly answers: boolean },
  { restored, events, status }: RunContext,
): Evaluation {
  const { window, halfLife, warn, drift: chosen, report } = options;
  const { model } = learner;
  const progress = new ProgressiveScores({ spanScheme: true, window, halfLife });
  const drift = new DriftMonitor(learner, {
    ...chosen,
    answer: answers ? chosen.answer : 'warn',
    detector: chosen.detector === 'watch' ? { watch: warn } : chosen.detector,
    onWarning: ({ code, message }) => events.onWarning?.(code, message),
  });
  const saves = { progress, drift };
  for (const [name, part] of Object.entries({ drift, progress })) {
    if (restored?.[name] !== undefined) restorePart(restored, name, state => part.restore(state));
  }
  const shown = (scores: Scores) => shownScores(scores, model);
  const details = () => progress.details.scores(isSpanScheme(model.scheme));
  if (status !== undefined) {
    status.drift = () => drift.counts;
    status.details = details;
    status.progress = () => ({ all: shown(progress.scores()), recent: shown(progress.inWindow()) });
  }
  const reported = () => {
    // At multiples, wherever a resumed run starts.
    let next = (Math.floor(learner.sentencesSeen / report) + 1) * report;
    return tap((step: TrainingStep) => {
      if (step.sentencesSeen < next) return;
      next += report;
      const decayed = progress.decayed.scores(true);
      const recent = { ...shown(decayed), loss: decayed.loss };
      const [all, inWindow] = [shown(progress.scores()), shown(progress.inWindow())];
      events.onProgress?.(step, all, inWindow, recent, details());
    });
  };
  return {
    stopping: undefined,
    saves,
    open: async () => ({
      score: pipe(evaluateProgressive(model, progress), detectDrift(drift), reported()),
    }),
  };
}
