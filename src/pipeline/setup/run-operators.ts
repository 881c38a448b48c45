import { type Observable, type OperatorFunction, takeUntil, tap } from 'rxjs';
import type { EncodedSentence } from '../../core/minibatch/encoded-sentence.js';
import type { Sentence } from '../../core/sentence/sentence.js';
import type { TrainingStep } from '../../core/training/training-step.js';
import type { MixingLearner } from '../../models/group/mixing/mixing-learner.js';
import { ParallelLearner } from '../../models/group/parallel-learner.js';
import type { BatchLearner } from '../../models/learning/batch-learner.js';
import { iterate } from '../../operators/iterate.js';
import { mixPasses } from '../../operators/mixing/mix-passes.js';
import { mixRounds } from '../../operators/mixing/mix-rounds.js';
import { passes } from '../../operators/passes.js';
import { tokenize } from '../../operators/tokenize.js';
import type { Pipeline } from '../definition/pipeline.js';
import type { RunSetup } from '../definition/run-setup.js';
import type { TrainOptions } from '../options/train-options.js';
import { aborted } from './aborted.js';
import { collectGarbage } from './collect-garbage.js';
import { requireCorpus } from './restore-run.js';
import type { RunOptions } from './run-options.js';
import { timed } from './timed.js';

/** The stage `featurize`. */
type Encode = OperatorFunction<Sentence, EncodedSentence>;

/** Operators from one thing to another, as they follow each other. */
type Operators = readonly OperatorFunction<unknown, unknown>[];

/**
 * The operators of all stages, and what the file leaves unsaid between them: those from documents to encoded
 * sentences, and the others.
 */
export function runOperators(
  pipeline: Pipeline,
  setup: RunSetup,
  options: RunOptions,
): { readonly reading: Operators; readonly learning: Operators } {
  let readers = 0;
  const lastStep = lastStepOf(pipeline);
  // With its scores, and before a checkpoint holds it.
  const noted = lastStepOf(pipeline, ['evaluate', 'optimize']);
  const operators: OperatorFunction<unknown, unknown>[] = [];
  const add = <In, Out>(operator: OperatorFunction<In, Out>) =>
    operators.push(operator as OperatorFunction<unknown, unknown>);
  const { plan } = pipeline;
  const iterates = plan.optimizer?.kind === 'batch';
  const mixes = plan.optimizer?.kind === 'cluster';
  const isStream = plan.kind !== 'train';
  let encode: Encode | undefined;
  for (const [i, { component, options: chosen }] of pipeline.stages.entries()) {
    const { name } = component;
    if (i === 0 && name !== 'tokenize') add(tokenize());
    const created = component.create(chosen, setup);
    const { train } = pipeline;
    if (mixes && isStream && name === 'featurize') {
      // By `mixRounds`, between two rounds.
      encode = created as Encode;
    } else if ((iterates || mixes) && iteratedStages.has(name)) {
      if (name !== 'optimize') continue;
      if (encode !== undefined) add(roundsOf(setup, encode));
      else add((mixes ? mixedPassesOf : iterationsOf)(setup, train!.epochs!));
    } else {
      if (name === 'batch' && train?.epochs !== undefined) add(passesOf(setup, train));
      add(created);
    }
    if (component.gives === 'encoded sentence') readers = operators.length;
    // An unfinished minibatch is dropped at a stop, so that the next run packs it the same way.
    if (name === (iterates || mixes ? 'optimize' : 'batch') && pipeline.trains && options.signal) {
      add(takeUntil(aborted(options.signal)));
    }
    const { status } = options;
    if (name === 'batch' && !iterates && !mixes && status !== undefined) add(timed(status.batches));
    if (name === 'optimize' && status !== undefined) {
      add(
        tap(({ sentencesSeen, meanLoss }: TrainingStep) => {
          status.sentencesSeen = sentencesSeen;
          status.meanLoss = meanLoss;
        }),
      );
    }
    if (name === noted && !isStream) add(tap((step: TrainingStep) => setup.history.note(step)));
    if (name === lastStep && setup.events.onStep !== undefined) {
      add(tap((step: TrainingStep) => setup.events.onStep?.(step)));
    }
  }
  return { reading: operators.slice(0, readers), learning: operators.slice(readers) };
}

/** The last stage that gives training steps, of some. */
function lastStepOf(
  { stages, trains }: Pipeline,
  among: readonly string[] = ['checkpoint', 'evaluate', 'optimize'],
): string | undefined {
  if (!trains) return undefined;
  const names = stages.map(({ component }) => component.name);
  return among.find(name => names.includes(name));
}

/** Stages whose place is taken by the iterations of a batch optimizer, and by passes of other machines. */
const iteratedStages: ReadonlySet<string> = new Set(['batch', 'contribute', 'optimize']);

/** The corpus in shuffled passes. */
function passesOf(
  setup: RunSetup,
  { epochs, seeds = 1, seed, shuffle, dropout = 0 }: TrainOptions,
) {
  return (source: Observable<EncodedSentence>) => {
    const skip = setup.learner.sentencesSeen;
    const { onCorpus } = setup.events;
    const visits = { epochs: epochs!, seeds, seed, shuffle, skip, dropout };
    const options = { ...visits, onSettled: beginWith(setup) };
    return source.pipe(
      passes(setup.model, onCorpus === undefined ? options : { ...options, onCorpus }),
    );
  };
}

/** Rounds of a stream in shards, on other machines. */
function roundsOf(setup: RunSetup, encode: Encode) {
  return (source: Observable<Sentence>) => {
    const learner = setup.learner as MixingLearner;
    const { predict, executor, train } = setup;
    const every = train!.cluster!.every!;
    return source.pipe(mixRounds(learner, { every, executor: executor!, encode, predict }));
  };
}

/** Passes over the shards of the corpus, on other machines. */
function mixedPassesOf(setup: RunSetup, epochs: number) {
  return (source: Observable<EncodedSentence>) => {
    const onSettled = settledBy(setup);
    const learner = setup.learner as MixingLearner;
    const executor = setup.executor!;
    return source.pipe(mixPasses(learner, { epochs, executor, onSettled }));
  };
}

/** The iterations of a batch optimizer over the corpus. */
function iterationsOf(setup: RunSetup, epochs: number) {
  return (source: Observable<EncodedSentence>) => {
    const onSettled = settledBy(setup);
    const learner = setup.learner as BatchLearner;
    const first = learner.iterations + 1;
    return source.pipe(
      iterate(learner, { iterations: epochs, onSettled }),
      tap(({ step }) => {
        if (step === first) void collectGarbage();
      }),
    );
  };
}

/** Reports the corpus, and begins with it. */
function settledBy(setup: RunSetup): (corpus: readonly EncodedSentence[]) => void {
  const settled = beginWith(setup);
  return corpus => {
    setup.events.onCorpus?.(corpus.length);
    settled(corpus);
  };
}

/** Makes sure that it is the corpus of the run so far, and informs a learner with several threads. */
function beginWith(setup: RunSetup): (corpus: readonly EncodedSentence[]) => void {
  return corpus => {
    const { learner, restored } = setup;
    setup.corpus = corpus;
    setup.onSettled?.(corpus);
    if (restored !== undefined) requireCorpus(restored, corpus.length);
    setup.startOnCorpus?.();
    setup.startOnCorpus = undefined;
    if (learner instanceof ParallelLearner) learner.begin(corpus);
  };
}
