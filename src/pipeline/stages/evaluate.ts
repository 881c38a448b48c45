import { type Observable, tap } from 'rxjs';
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
import { chosenOf } from '../options/one-of.js';
import { type EvaluateOptions, evaluateOptionsOf } from '../options/stage-options.js';
import { readSentences } from '../setup/read-sentences.js';
import { restorePart } from '../setup/restore-run.js';
import { filesOf } from '../sources/common-options.js';
import type { SourceComponent } from '../sources/source-component.js';

/** The stage `evaluate` with the sources that it can read held-out data from. */
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
    create: (chosen, setup) =>
      chosen.progressive ? progressive(chosen, setup) : heldOut(chosen, sources, setup),
  });
}

function heldOut(chosen: EvaluateOptions, sources: readonly SourceComponent[], setup: RunSetup) {
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

function progressive(chosen: EvaluateOptions, setup: RunSetup) {
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
