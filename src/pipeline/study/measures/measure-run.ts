import type { EncodedSentence } from '../../../core/minibatch/encoded-sentence.js';
import type { TrainingStep } from '../../../core/training/training-step.js';
import { HeldOutEvaluator } from '../../../models/learning/held-out-evaluator.js';
import type { RunEvents } from '../../definition/events.js';
import type { Pipeline } from '../../definition/pipeline.js';
import { unkeptRecords } from '../../definition/unkept-records.js';
import type { TrainingObserver } from '../../run/run-once.js';
import { observedRun } from '../../run/run-pipeline.js';
import { readSentences } from '../../setup/read-sentences.js';
import type { RunOptions } from '../../setup/run-options.js';
import type { TrainingParts } from '../../stages/build-training.js';
import { measureModel } from './measure-model.js';
import { type QuantityName, quantityOf } from './quantities.js';
import type { CoursePoint, RunMeasures, Values } from './run-measures.js';
import { TrainingClock } from './training-clock.js';

/** What is measured, and how a training is run. */
export interface MeasureOptions extends Pick<RunOptions, 'kernel' | 'signal'> {
  readonly measured: ReadonlySet<QuantityName>;
  readonly course?:
    | { readonly measure: readonly QuantityName[]; readonly every: number }
    | undefined;
  readonly events?: RunEvents;
}

/**
 * Trains a pipeline as `tagstream train` does, and measures what has come of it. Writes nothing.
 *
 * @returns undefined if it was stopped
 * @throws TagstreamError whatever ends the training
 */
export async function measureRun(
  pipeline: Pipeline,
  { measured, course, events = {}, ...run }: MeasureOptions,
): Promise<RunMeasures | undefined> {
  const clock = new TrainingClock();
  const points: CoursePoint[] = [];
  const inCourse = new Set<QuantityName>(course?.measure);
  let training: TrainingParts | undefined;
  let corpus: readonly EncodedSentence[] | undefined;
  let evaluator: HeldOutEvaluator | undefined;
  let last: TrainingStep | undefined;
  let passes = 0;
  let times: Values = {};
  const measureNow = (step: TrainingStep) => {
    const scores = evaluator?.evaluate();
    const given = { pipeline, training: training!, corpus, wanted: inCourse };
    return measureModel({ ...given, step, passes, scores });
  };
  const { test } = pipeline;
  const observer: TrainingObserver = {
    async onTrainee(observed) {
      training = observed;
      if (test === undefined || !hasScores(inCourse)) return;
      const sentences = await readSentences(test, observed.reading);
      evaluator = new HeldOutEvaluator(observed.trainee.learner, sentences);
    },
    onSettled: settled => {
      corpus = settled;
    },
  };
  const options: RunOptions = {
    ...run,
    deadLetters: unkeptRecords(pipeline),
    events: {
      ...events,
      onCorpus: sentences => {
        events.onCorpus?.(sentences);
        clock.restart();
      },
      onStep: step => {
        if (step.passEnd !== undefined) {
          times = clock.pause();
          passes = step.passEnd;
          if (course !== undefined && passes % course.every === 0) {
            points.push({ values: { passes, ...measureNow(step) }, times });
          }
        }
        events.onStep?.(step);
        // A step keeps its minibatch; of the last one the numbers are enough.
        last = step;
        if (step.passEnd !== undefined) clock.goOn();
      },
    },
  };
  const result = await observedRun(pipeline, options, { observer });
  if (result.stopped || training === undefined || last === undefined) return undefined;
  if (pipeline.train?.epochs === undefined) {
    times = clock.pause();
    passes = 1;
  }
  const scores = result.test;
  const wanted = new Set([...measured].filter(name => quantityOf(name).varies !== true));
  const values = measureModel({
    pipeline,
    ...{ training, corpus },
    wanted,
    step: last,
    passes,
    scores,
    finished: true,
  });
  return { values, times, course: points };
}

function hasScores(names: ReadonlySet<QuantityName>): boolean {
  return [...names].some(name => quantityOf(name).score === true);
}
