import { defer, map, mergeMap, type Observable, of } from 'rxjs';
import { TagstreamError } from '../../src/engine/core/errors.js';
import type { EncodedSentence } from '../../src/engine/core/minibatch/encoded-sentence.js';
import type { Minibatch } from '../../src/engine/core/minibatch/minibatch.js';
import type { Document } from '../../src/engine/core/sentence/document.js';
import type { Sentence, TaggedSentence } from '../../src/engine/core/sentence/sentence.js';
import type { TaggedDocument } from '../../src/engine/core/sentence/tagged-document.js';
import type { Contribution } from '../../src/engine/core/training/contribution.js';
import type { TrainingStep } from '../../src/engine/core/training/training-step.js';
import { logLoss } from '../../src/engine/losses/log-loss.js';
import { ProgressiveScores } from '../../src/engine/metrics/scores/progressive-scores.js';
import { Contest } from '../../src/engine/models/learning/contest.js';
import { DriftMonitor } from '../../src/engine/models/learning/drift-monitor.js';
import { QuestionBudget } from '../../src/engine/models/learning/question-budget.js';
import { ReplayMemory } from '../../src/engine/models/learning/replay-memory.js';
import { WaitingRecords } from '../../src/engine/models/learning/waiting-records.js';
import { characterSentences } from '../../src/engine/models/text/character-sentences.js';
import { ask } from '../../src/engine/operators/ask.js';
import { assemble } from '../../src/engine/operators/assemble.js';
import { batch } from '../../src/engine/operators/batch.js';
import { champion } from '../../src/engine/operators/champion.js';
import { characters } from '../../src/engine/operators/characters.js';
import { checkpoint } from '../../src/engine/operators/checkpoint.js';
import { contribute } from '../../src/engine/operators/contribute.js';
import { detectDrift } from '../../src/engine/operators/detect-drift.js';
import { evaluate } from '../../src/engine/operators/evaluate.js';
import { evaluateProgressive } from '../../src/engine/operators/evaluate-progressive.js';
import { featurize } from '../../src/engine/operators/featurize.js';
import { iterate } from '../../src/engine/operators/iterate.js';
import { joinLabels, rememberTags } from '../../src/engine/operators/join-labels.js';
import { learnUnlabelled } from '../../src/engine/operators/learn-unlabelled.js';
import { mergeOrdered } from '../../src/engine/operators/merge-ordered.js';
import { optimize } from '../../src/engine/operators/optimize.js';
import { passes } from '../../src/engine/operators/passes.js';
import { replaceable } from '../../src/engine/operators/replaceable.js';
import { replay } from '../../src/engine/operators/replay.js';
import { segments } from '../../src/engine/operators/segments.js';
import { tag } from '../../src/engine/operators/tag.js';
import { tokenize } from '../../src/engine/operators/tokenize.js';
import { tracked } from '../../src/engine/operators/tracked.js';
import { sgd } from '../../src/engine/optimizers/factories.js';
import { lbfgs } from '../../src/engine/trainers/factories.js';
import { RawText } from '../../src/formats/codecs/conllu/raw-text.js';
import { createLearner } from '../../src/runtime/pipeline/learners/create-learner.js';
import { learnTokenizer } from '../../src/runtime/pipeline/text/learn-tokenizer.js';
import type { CountingDelivery } from '../engine/operators/counting-delivery.js';
import { MemoryCheckpointStore } from '../engine/operators/memory-checkpoint-store.js';
import { idsOf, numbered, Training } from '../engine/operators/training.js';
import { smallTreebank, treebankRecords } from '../engine/text/characters/small-treebank.js';

/** An operator at work, without the types of its items. */
export interface Work {
  operator: (source: Observable<unknown>) => Observable<unknown>;
  /** The input that has the id `i`; made when its turn has come, as some are overwritten by the next. */
  input: (i: number, delivery?: CountingDelivery) => unknown;
  /** Ids of the records in an output. */
  ids: (output: unknown) => string[];
}

export interface Row {
  readonly name: string;
  readonly start: () => Work;
  /** Releases and acknowledgements of a delivery that has gone through. */
  readonly settles: readonly [releases: number, acks: number];
  /** Emits nothing before its source has ended, so that no output can stop the source. */
  readonly collects?: boolean;
  /** Rejects an input that it can do nothing with. */
  readonly bad?: (delivery?: CountingDelivery) => unknown;
}

export function work<In, Out>(typed: {
  operator: (source: Observable<In>) => Observable<Out>;
  input: (i: number, delivery?: CountingDelivery) => In;
  ids: (output: Out) => string[];
}): Work {
  return typed as unknown as Work;
}

export function stepIds({ contribution }: TrainingStep): string[] {
  return idsOf(contribution.minibatch);
}

export function documentOf(i: number, delivery?: CountingDelivery): Document {
  const text = `Number ${i} is here. It has two sentences.`;
  return { id: String(i), text, ...(delivery === undefined ? {} : { delivery }) };
}

export function tagged(i: number, delivery?: CountingDelivery): TaggedSentence {
  const { tags, ...rest } = numbered(i, delivery);
  return { ...rest, tags: tags!, score: i };
}

/** Work on training steps of one sentence each. */
export function onSteps(
  operatorOf: (
    training: Training,
  ) => (source: Observable<TrainingStep>) => Observable<TrainingStep>,
): Work {
  const training = new Training();
  return work<TrainingStep, TrainingStep>({
    operator: operatorOf(training),
    input: (i, delivery) => training.step(training.batch(training.encoded(i, delivery)), true),
    ids: stepIds,
  });
}

/** Two of each document, and none of one that holds nothing. */
function refusingBlanks(document: Document): Document[] {
  if (document.text?.trim() === '') throw new TagstreamError('empty-sentence', 'nothing');
  return [document, document];
}

/** A tokenizer that is in doubt of something. */
const raw = new RawText();
for (const record of treebankRecords(smallTreebank(40, 1))) raw.add(record);
const learned = await learnTokenizer(raw.gold, { locale: 'en', seed: 1 });

/** All characters of a document as one labelled sentence. */
function labelledCharacters(i: number, delivery?: CountingDelivery): TaggedSentence {
  const { text, ...document } = documentOf(i, delivery);
  const options = { locale: 'en', doubt: { certain: () => -1 }, columns: new Set<string>() };
  const [sentence] = characterSentences({ ...document, text: text! }, options);
  const tags = sentence!.tokens.map((token, t) => (token === ' ' ? 'O' : t === 0 ? 'S' : 'I'));
  return { ...sentence!, tags, score: i, ...(delivery === undefined ? {} : { delivery }) };
}

export const rows: readonly Row[] = [
  {
    name: 'characters',
    settles: [0, 0],
    start: () =>
      work<Document, Sentence>({
        operator: characters(learned),
        input: documentOf,
        ids: sentence => [sentence.document.id!],
      }),
    bad: delivery => ({ text: 7, ...(delivery === undefined ? {} : { delivery }) }),
  },
  {
    name: 'segments',
    settles: [0, 0],
    start: () =>
      work<TaggedSentence, Document>({
        operator: segments(),
        input: labelledCharacters,
        ids: document => [document.id!],
      }),
  },
  {
    name: 'tokenize',
    settles: [0, 0],
    start: () =>
      work<Document, Sentence>({
        operator: tokenize(),
        input: documentOf,
        ids: sentence => [sentence.document.id!],
      }),
    bad: delivery => ({ ...(delivery === undefined ? {} : { delivery }) }),
  },
  {
    name: 'featurize',
    settles: [0, 0],
    start: () =>
      work<Sentence, EncodedSentence>({
        operator: featurize(new Training().model),
        input: numbered,
        ids: ({ sentence }) => [sentence.document.id!],
      }),
    bad: delivery => ({ ...numbered(0, delivery), tags: ['one too few'] }),
  },
  {
    name: 'learnUnlabelled',
    settles: [0, 0],
    start: () =>
      work<Sentence, Sentence>({
        operator: learnUnlabelled(0.5),
        input: (i, delivery) => {
          const { tags, ...rest } = numbered(i, delivery);
          return i % 2 === 0 ? { ...rest, tags: tags! } : rest;
        },
        ids: sentence => [sentence.document.id!],
      }),
  },
  {
    name: 'batch',
    settles: [0, 0],
    start: () => {
      const training = new Training();
      return work<EncodedSentence, Minibatch>({
        operator: batch({ sentences: 4, tokens: 9 }),
        input: (i, delivery) => training.encoded(i, delivery),
        ids: idsOf,
      });
    },
  },
  {
    name: 'passes',
    settles: [1, 1],
    collects: true,
    start: () => {
      const training = new Training();
      return work<EncodedSentence, EncodedSentence>({
        operator: passes(training.model, { epochs: 1, shuffle: false }),
        input: (i, delivery) => training.encoded(i, delivery),
        ids: ({ sentence }) => [sentence.document.id!],
      });
    },
  },
  {
    name: 'iterate',
    settles: [1, 1],
    collects: true,
    start: () => {
      const training = new Training();
      return work<EncodedSentence, string[]>({
        // A step is of the whole corpus, and a learner iterates over one.
        operator: source =>
          defer(() => {
            const learner = createLearner(training.model, { loss: logLoss, optimizer: lbfgs() });
            let corpus: readonly EncodedSentence[] = [];
            const onSettled = (settled: readonly EncodedSentence[]) => {
              corpus = settled;
            };
            const steps = source.pipe(iterate(learner, { iterations: 1, onSettled }));
            return steps.pipe(map(() => corpus.map(({ sentence }) => sentence.document.id!)));
          }),
        input: (i, delivery) => training.encoded(i, delivery),
        ids: corpus => corpus,
      });
    },
  },
  {
    name: 'replaceable',
    settles: [0, 0],
    start: () =>
      work<Document, Sentence>({
        operator: replaceable(of(tokenize(), tokenize())),
        input: documentOf,
        ids: sentence => [sentence.document.id!],
      }),
    bad: delivery => ({ ...(delivery === undefined ? {} : { delivery }) }),
  },
  {
    name: 'joinLabels',
    settles: [0, 0],
    start: () =>
      work<Document, Document>({
        operator: joinLabels(new WaitingRecords({ keep: 3 })),
        input: documentOf,
        ids: ({ id }) => [id!],
      }),
    bad: delivery => ({ tags: ['A'], ...(delivery === undefined ? {} : { delivery }) }),
  },
  {
    name: 'rememberTags',
    settles: [0, 0],
    start: () => onSteps(({ model }) => rememberTags(model, new WaitingRecords())),
  },
  {
    name: 'ask',
    settles: [0, 0],
    start: () => onSteps(({ model }) => ask(model, new QuestionBudget(), () => {})),
  },
  {
    name: 'replay',
    settles: [0, 0],
    start: () => {
      const training = new Training();
      return work<Minibatch, Minibatch>({
        operator: replay(training.learner, new ReplayMemory({ keep: 3 }), { each: 2 }),
        input: (i, delivery) => training.batch(training.encoded(i, delivery)),
        ids: idsOf,
      });
    },
  },
  {
    name: 'contribute',
    settles: [0, 0],
    start: () => {
      const training = new Training();
      return work<Minibatch, Contribution>({
        operator: contribute(training.learner, { predict: true }),
        input: (i, delivery) => training.batch(training.encoded(i, delivery)),
        ids: ({ minibatch }) => idsOf(minibatch),
      });
    },
  },
  {
    name: 'optimize',
    settles: [0, 0],
    start: () => {
      const training = new Training();
      return work<Contribution, TrainingStep>({
        operator: optimize(training.learner),
        input: (i, delivery) =>
          training.learner.contribute(training.batch(training.encoded(i, delivery))),
        ids: stepIds,
      });
    },
  },
  {
    name: 'champion',
    settles: [0, 0],
    start: () => {
      const training = new Training();
      const second = createLearner(training.model.twin(), {
        ...{ loss: logLoss, optimizer: sgd(), corpusSize: 10 },
      });
      return work<Minibatch, TrainingStep>({
        operator: champion(new Contest({ first: training.learner, second })),
        input: (i, delivery) => training.batch(training.encoded(i, delivery)),
        ids: stepIds,
      });
    },
  },
  {
    name: 'evaluate',
    settles: [0, 0],
    start: () => {
      const evaluator = { evaluate: () => ({ sentences: 1, tokens: 2, accuracy: 50 }) };
      return onSteps(() => evaluate(evaluator));
    },
  },
  {
    name: 'evaluateProgressive',
    settles: [0, 0],
    start: () =>
      onSteps(({ model }) =>
        evaluateProgressive(model, new ProgressiveScores({ spanScheme: false })),
      ),
  },
  {
    name: 'detectDrift',
    settles: [0, 0],
    start: () => onSteps(({ learner }) => detectDrift(new DriftMonitor(learner))),
  },
  {
    name: 'checkpoint',
    settles: [0, 1],
    start: () =>
      onSteps(({ learner }) =>
        checkpoint(new MemoryCheckpointStore(), () => ({ learner: learner.save() }), {
          sentences: 4,
        }),
      ),
  },
  {
    name: 'tag',
    settles: [0, 0],
    start: () => {
      const training = new Training();
      return work<Minibatch, TaggedSentence>({
        operator: tag(training.model),
        input: (i, delivery) => training.batch(training.encoded(i, delivery)),
        ids: sentence => [sentence.document.id!],
      });
    },
  },
  {
    name: 'mergeOrdered',
    settles: [0, 0],
    start: () =>
      work<Document, Document>({
        operator: mergeOrdered(refusingBlanks, { concurrency: 3 }),
        input: documentOf,
        ids: ({ id }) => [id!],
      }),
    bad: delivery => ({ text: '  ', ...(delivery === undefined ? {} : { delivery }) }),
  },
  {
    name: 'tracked',
    settles: [0, 0],
    start: () =>
      work<Document, Document>({
        operator: tracked(mergeMap(refusingBlanks)),
        input: documentOf,
        ids: ({ id }) => [id!],
      }),
    bad: delivery => ({ text: '  ', ...(delivery === undefined ? {} : { delivery }) }),
  },
  {
    name: 'assemble',
    settles: [0, 0],
    start: () =>
      work<TaggedSentence, TaggedDocument>({
        operator: assemble(),
        input: tagged,
        ids: ({ document }) => [document.id!],
      }),
  },
];
