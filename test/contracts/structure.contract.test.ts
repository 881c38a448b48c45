import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { TagstreamError } from '../../src/engine/core/errors.js';
import type { EncodedSentence } from '../../src/engine/core/minibatch/encoded-sentence.js';
import type { Minibatch } from '../../src/engine/core/minibatch/minibatch.js';
import { packMinibatch } from '../../src/engine/core/minibatch/pack-minibatch.js';
import { Random } from '../../src/engine/core/random.js';
import type { Document } from '../../src/engine/core/sentence/document.js';
import type { PairMarginals, Sentence } from '../../src/engine/core/sentence/sentence.js';
import type { Contribution } from '../../src/engine/core/training/contribution.js';
import { scoreBatch } from '../../src/engine/inference/score-batch.js';
import { scorers } from '../../src/engine/inference/scorers/scorers.js';
import { structureOf } from '../../src/engine/inference/structures/structures.js';
import type { Kernel } from '../../src/engine/kernels/kernel.js';
import { Lattice } from '../../src/engine/kernels/lattice.js';
import type { Plane } from '../../src/engine/kernels/memory/plane.js';
import { CoalescedGradient, tables } from '../../src/engine/kernels/rows/coalesced-gradient.js';
import type { ParameterStore } from '../../src/engine/kernels/store/parameter-store.js';
import { contributionOf } from '../../src/engine/losses/contribution-of.js';
import { logLoss, perceptronLoss } from '../../src/engine/losses/factories.js';
import type { Loss } from '../../src/engine/losses/loss.js';
import { losses } from '../../src/engine/losses/losses.js';
import { createModel } from '../../src/engine/models/create-model.js';
import {
  type DecodeOptions,
  unrestricted,
} from '../../src/engine/models/decoding/decode-options.js';
import { type Decoded, reportedLabels } from '../../src/engine/models/decoding/decoded.js';
import { Decoder } from '../../src/engine/models/decoding/decoder.js';
import { readModel } from '../../src/engine/models/files/model-file.js';
import { kernels } from '../../src/engine/models/kernels.js';
import { BatchLearner } from '../../src/engine/models/learning/batch-learner.js';
import { settleCorpus } from '../../src/engine/models/learning/settle-corpus.js';
import type { Model } from '../../src/engine/models/model.js';
import { hiddenStatesOf } from '../../src/engine/models/model-spec.js';
import { perceptron, sgd } from '../../src/engine/optimizers/factories.js';
import { optimizers } from '../../src/engine/optimizers/optimizers.js';
import { Objective } from '../../src/engine/trainers/objective.js';
import type { RemoteSums } from '../../src/engine/trainers/shards/objective-group.js';
import { FreeParameters } from '../../src/engine/trainers/vectors/free-parameters.js';
import { trainers } from '../../src/runtime/pipeline/catalogue/trainers.js';
import { createLearner } from '../../src/runtime/pipeline/learners/create-learner.js';
import {
  createTrainee,
  type LearnerParts,
  type TrainerGroup,
} from '../../src/runtime/pipeline/learners/learner-of.js';
import {
  structureShape,
  structureSpecOf,
} from '../../src/runtime/pipeline/options/structure-options.js';
import {
  type ChosenOptimizer,
  lossRefusal,
} from '../../src/runtime/pipeline/trainers/trainer-traits.js';
import { train } from '../../src/runtime/pipeline/training/train.js';
import type { TrainRequest } from '../../src/runtime/pipeline/training/train-request.js';
import { ThreadGroup } from '../../src/runtime/workers/thread-group.js';
import { LocalSums } from '../engine/trainers/shards/local-sums.js';
import { coverValues } from '../house/long-forms.js';
import { parameterPlaces } from './oracle/kernels/parameter-places.js';

/** A structure as requests ask for it, with options that change what is summed. */
interface Row {
  readonly name: string;
  readonly model: Partial<TrainRequest> & {
    readonly prune?: { readonly most: number; readonly ratio: number };
  };
  readonly templates: readonly string[];
  readonly support?: 'observed';
  /** The tags of its records, the usual word of each first. */
  readonly tags?: readonly string[];
  /** Whether its records link three tokens as well. */
  readonly triples?: boolean;
  /** Optimizers, online and batch, that are to train it; absent where it varies what another row is trained by. */
  readonly trainedBy?: readonly string[];
  /** Whether it needs a kernel of float64. */
  readonly counts?: boolean;
}

const words = ['U0:%x[0,0]', 'U1:%x[-1,0]'];
const chained = [...words, 'B'];
/** Weights of the labels that sentences begin and end with. */
const ends = ['U:start:%first[0,0]', 'U:stop:%last[0,0]'];
const conditioned = [...chained, 'B0:%x[0,0]'];
const layered = ['N|B', 'N|I', 'V|O', 'N|O'];
const parted = ['N|Case=Nom|Number=Sing', 'N|Case=Acc|Number=Sing', 'V', 'A|Case=Nom', '|'];
const many = Array.from({ length: 30 }, (_, i) => `T${i}`);

/** What trains any structure. */
const online = ['sgd', 'sgd-l1', 'perceptron', 'adagrad', 'passive-aggressive', 'arow'];
const usual = [...online, 'lbfgs', 'owl-qn', 'cg', 'rprop', 'batch-perceptron', 'path', 'switch'];
const ofWeights = ['cutting-planes', 'eg', 'smo', 'boosting', 'bcd', 'cd', 'gis', 'iis'];
const ofScorer: Readonly<Record<string, readonly string[]>> = {
  memm: ['sgd', 'sgd-l1', 'adagrad', 'lbfgs', 'owl-qn', 'cg', 'rprop', 'path', 'switch'],
  hmm: ['counts', 'stepwise-em', 'em', 'mmi'],
  trees: ['trees'],
  'support-vectors': ['support-vectors'],
};

const inner: readonly Row[] = [
  {
    ...{ name: 'a chain', model: { structure: 'chain' }, templates: chained },
    trainedBy: [...usual, ...ofWeights, 'voted-perceptron'],
  },
  { name: 'a chain of conditioned transitions', model: {}, templates: conditioned },
  {
    ...{ name: 'a chain of observed pairs', model: {}, templates: conditioned },
    ...{ support: 'observed', trainedBy: ['induction'] },
  },
  {
    ...{ name: 'a chain of many labels', model: {}, templates: conditioned, tags: many },
    support: 'observed',
  },
  {
    ...{ name: 'a chain of pruned labels', templates: chained },
    model: { prune: { most: 3, ratio: 0.01 } },
    trainedBy: ['sgd', 'perceptron'],
  },
  { name: 'hidden states', model: { hidden: 2 }, templates: chained, trainedBy: usual },
  {
    ...{ name: 'hidden states of conditioned transitions', model: { hidden: 3 } },
    templates: conditioned,
  },
  {
    ...{ name: 'segments', model: { structure: 'segments' }, templates: chained },
    trainedBy: usual,
  },
  {
    ...{ name: 'segments of conditioned transitions', templates: conditioned },
    model: { structure: 'segments', maxLength: 2, segmentFeatures: ['length', 'lower'] },
  },
  {
    ...{ name: 'segments and the labels before them', templates: conditioned },
    model: {
      structure: 'segments',
      maxLength: 2,
      segmentFeatures: ['lower', 'B:length', 'B:lower'],
    },
    trainedBy: usual,
  },
  {
    ...{ name: 'a graph', model: { structure: 'graph' }, templates: words },
    trainedBy: usual,
  },
  {
    ...{ name: 'a graph of equal words', templates: conditioned },
    model: { structure: 'graph', links: { sameWord: 'capitalised' }, linkFeatures: ['shape'] },
  },
  {
    ...{ name: 'a graph of triples', templates: chained, triples: true },
    ...{ model: { structure: 'graph', linkFeatures: ['shape'] }, trainedBy: usual },
  },
  {
    ...{ name: 'a graph by messages', templates: chained },
    model: { structure: 'graph', maxWidth: 0, schedule: 'flooding' },
  },
  {
    ...{ name: 'a graph of associative links', templates: words },
    model: { structure: 'graph', potentials: 'associative' },
    trainedBy: online,
  },
  {
    ...{ name: 'layers', model: { layers: '|' }, templates: chained, tags: layered },
    trainedBy: usual,
  },
  {
    ...{ name: 'three layers', model: { layers: '|' }, templates: chained },
    ...{ tags: layered.map((tag, i) => `${tag}|${'xyx'[i % 3]}`), trainedBy: usual },
  },
  {
    ...{ name: 'layers of observed pairs', model: { layers: '|' }, templates: chained },
    ...{ tags: layered, support: 'observed' },
  },
  {
    ...{ name: 'parts', model: { parts: '|' }, templates: chained, tags: parted },
    trainedBy: usual,
  },
  {
    ...{ name: 'parts of observed pairs', model: { parts: '|' }, templates: chained },
    ...{ tags: parted, support: 'observed' },
  },
  {
    ...{ name: 'parts of pruned labels', templates: chained, tags: parted },
    model: { parts: '|', prune: { most: 3, ratio: 0.01 } },
    trainedBy: ['sgd', 'perceptron'],
  },
  {
    ...{ name: 'codes', model: { codes: { kind: 'exhaustive' } }, templates: chained },
    trainedBy: usual,
  },
  {
    ...{ name: 'codes by marginals', templates: chained, support: 'observed' },
    model: { codes: { kind: 'random', bits: 5, decoder: 'marginals' } },
  },
  {
    ...{ name: 'codes by hamming', templates: chained },
    model: { codes: { kind: 'one-against-rest', decoder: 'hamming' } },
  },
  ...scorers
    .filter(({ name }) => name !== 'linear')
    .map(({ name }) => ({
      ...{ name: `a chain of the scorer ${name}`, model: { scorer: name } },
      templates: ['U0:%x[0,0]', 'B'],
      trainedBy: ofScorer[name] ?? [],
      counts: name === 'hmm',
    })),
];

/** All structures also with weights of first and last labels; a chain is trained so by whatever trains chains. */
const bounded = inner
  .filter(({ trainedBy = [] }) => trainedBy.includes('sgd') && trainedBy.includes('perceptron'))
  .map(({ trainedBy, ...row }, i) => ({
    ...row,
    ...(i === 0 && { trainedBy: trainedBy! }),
    name: `${row.name} with weights of first and last labels`,
    templates: [...row.templates, ...ends],
  }));

const rows: readonly Row[] = [...inner, ...bounded];

/** What the records of a corpus have. */
interface CorpusKind {
  readonly name: string;
  readonly numbers: boolean;
  readonly partial: boolean;
}

const labelled: CorpusKind = { name: 'labelled records', numbers: false, partial: false };
const kinds: readonly CorpusKind[] = [
  { name: 'records with numbers', numbers: true, partial: false },
  { name: 'records labelled in part', numbers: false, partial: true },
];

/** Sixteen and more: the shards of an objective have several records. One token is all that some of them have. */
function recordsOf(
  { tags = ['B-PER', 'I-PER', 'B-ORG', 'O'], triples = false }: Row,
  kind: CorpusKind,
): Document[] {
  const random = new Random(5);
  const draw = <T>(from: readonly T[]) => from[random.below(from.length)]!;
  return Array.from({ length: 18 }, (_, i) => {
    const tokens = Array.from({ length: 1 + random.below(5) }, () => draw([...'aBcdE']));
    const own = tokens.map(token =>
      random.below(3) === 0 ? draw(tags) : tags['aBcdE'.indexOf(token) % tags.length]!,
    );
    const last = tokens.length - 1;
    const links =
      last > 1 ? [[last, 0, 'ends'], [0, 1], ...(triples ? [[1, 0, last, 'triple']] : [])] : [];
    const known =
      kind.partial && i % 3 === 1
        ? { partialTags: own.map((tag, t) => (t % 2 === 0 ? null : [tag, draw(tags)])) }
        : { tags: own };
    const columns = kind.numbers ? { n: tokens.map(() => random.below(5) / 2) } : {};
    return { tokens, links, columns, ...known, weight: 0.5 + random.uniform() };
  });
}

function featuresOf({ templates, support }: Row, { numbers }: CorpusKind) {
  return {
    templates: [...templates, ...(numbers ? ['U2:%v[0,n]'] : [])],
    columns: ['form', ...(numbers ? ['n'] : [])],
    ...(support === undefined ? {} : { support }),
  };
}

interface Settled {
  readonly model: Model;
  readonly corpus: readonly EncodedSentence[];
}

/** A new model of a row, and the records encoded. */
function settled(
  row: Row,
  kind: CorpusKind,
  kernel: Kernel,
  records = recordsOf(row, kind),
): Settled {
  const { templates, ...features } = featuresOf(row, kind);
  const { hidden = 1, scorer, ...structure } = row.model;
  const states = hiddenStatesOf(hidden);
  const spec = {
    ...{ templates: templates.join('\n'), ...features, ...structureSpecOf(structure as never) },
    ...(scorer === undefined ? {} : { scorer }),
    ...(states === undefined ? {} : { hidden: states }),
  };
  const model = createModel(spec, undefined, kernel);
  const part = { index: 0, count: 1, start: 0 };
  const encoded = records.map(document => {
    const { tokens = [], columns = {}, tags, partialTags } = document;
    const known = tags === undefined ? { partialTags: partialTags! } : { tags };
    return model.encode({ tokens, columns, document, part, ...known } as Sentence);
  });
  const corpus = settleCorpus(model, encoded);
  model.reserve();
  return { model, corpus };
}

type Named = Readonly<Record<string, unknown>>;

/** The optimizer of `{ name: options }`. */
function optimizerOf(chosen: Named): ChosenOptimizer {
  const [name, options] = Object.entries(chosen)[0]!;
  const component = optimizers.find(each => each.name === name);
  if (component !== undefined) return { kind: 'online', component, options };
  return { kind: 'batch', component: trainers.find(each => each.name === name)!, options };
}

function learnerOf(chosen: Named, parts: LearnerParts) {
  return createTrainee(optimizerOf(chosen), parts).learner;
}

function unfitLoss(chosen: Named, loss: Loss) {
  return lossRefusal(optimizerOf(chosen), loss);
}

/** What shares the work of an objective. */
interface Sharing {
  readonly group?: TrainerGroup;
  readonly remote?: RemoteSums;
}

/** The objective that L-BFGS would minimise. */
function objectiveOf(
  row: Row,
  kind: CorpusKind,
  kernel: Kernel,
  loss: Loss,
  sharing: Sharing = {},
) {
  const { model, corpus } = settled(row, kind, kernel);
  learnerOf({ lbfgs: {} }, { model, loss: losses[0]!, train: undefined, ...sharing });
  return new Objective({
    ...{ kernel: model.kernel, parameters: model.parameters, loss, l2: 0.3, ...sharing },
    corpus: [packMinibatch(corpus.slice(0, 7)), packMinibatch(corpus.slice(7))],
  });
}

/** What a function returns, or the error of Tagstream that refuses it. Any other error fails the test. */
function attempted<Result>(run: () => Result): Result | TagstreamError {
  try {
    return run();
  } catch (error) {
    if (error instanceof TagstreamError) return error;
    throw error;
  }
}

/** Numbers within a quarter of 0. */
function drawn(count: number, seed: number): Float64Array {
  const random = new Random(seed);
  return Float64Array.from({ length: count }, () => (random.uniform() - 0.5) / 2);
}

/** The largest difference of two vectors, as a share of the largest number. */
function difference(found: ArrayLike<number>, expected: ArrayLike<number>): number {
  expect(found.length).toBe(expected.length);
  let most = 0;
  let largest = 1;
  for (let i = 0; i < expected.length; i += 1) {
    const gap = Math.abs(found[i]! - expected[i]!);
    if (!(gap <= most)) most = gap;
    largest = Math.max(largest, Math.abs(expected[i]!));
  }
  return most / largest;
}

type Accumulate = (objective: Objective, plane: Plane, made: Contribution, s: number) => void;

const byKernel: Accumulate = ({ kernel, parameters }, plane, made, s) =>
  kernel.accumulate(parameters, plane, made, s, 1);

/** The gradient of a sentence by parameter, as AdaGrad and AROW add it. */
const byRows: Accumulate = ({ parameters }, plane, made, s) => {
  const gradient = new CoalescedGradient();
  gradient.gather(parameters, made, s);
  for (const table of tables) {
    const { rows, sums, size, count } = gradient[table];
    for (let i = 0; i < count * size; i += 1) {
      plane[table].view[rows[Math.floor(i / size)]! * size + (i % size)]! += sums[i]!;
    }
  }
};

/** An objective and its gradient from the contribution of each sentence, without shards and compact rows. */
function summed(objective: Objective, weights: Float64Array, accumulate = byKernel) {
  const { parameters, free, l2 } = objective;
  objective.place(weights);
  const plane = parameters.addPlane();
  let value = 0;
  for (const minibatch of objective.corpus) {
    const made = objective.contribute(minibatch);
    value += made.loss;
    for (let s = 0; s < minibatch.sentences.length; s += 1) {
      if (minibatch.labelled[s] === 1) accumulate(objective, plane, made, s);
    }
  }
  const gradient = new Float64Array(free.size);
  free.gather(plane, gradient);
  for (const [i, weight] of weights.entries()) {
    value += l2 * weight * weight;
    gradient[i]! += 2 * l2 * weight;
  }
  return { value, gradient };
}

const kernelNames = ['reference', 'simd64', 'simd'] as const;
const digits = { reference: 1e-12, simd64: 1e-11, simd: 1e-5 } as const;

it('has a row for each structure, scorer and option of a structure', () => {
  const asked = rows.flatMap(({ model }) => Object.keys(model));
  const { structure } = structureShape;
  for (const name of [...Object.keys(structureShape), 'hidden']) expect(asked).toContain(name);
  for (const name of structure.unwrap().options) {
    expect(rows.map(({ model }) => model.structure)).toContain(name);
  }
});

/** An objective and its gradient at the same weights for all, or why nothing trains the model so. */
function evaluated(...[row, kind, kernel, loss, sharing]: Parameters<typeof objectiveOf>) {
  return attempted(() => {
    const objective = objectiveOf(row, kind, kernel, loss, sharing);
    const weights = drawn(objective.free.size, 3);
    const gradient = new Float64Array(weights.length);
    return { value: objective.evaluate(weights, gradient), gradient };
  });
}

/** Each structure with one of the kernels, and each kernel as often; the rest is slow. */
const withKernels = coverValues(
  rows.flatMap(row => kernelNames.map(name => ({ row, name }))),
  ({ row, name }) => [row.name, name],
);

/** Each structure with one kind of records, and each kind as often. */
const withKinds = coverValues(
  rows.flatMap(row => kinds.map(kind => ({ row, kind }))),
  ({ row, kind }) => [row.name, kind.name],
);

for (const { rows: some, tags } of withKinds) {
  it.each(some)(
    'the objective of $row.name is that of the reference, and so is its gradient: $kind.name',
    { tags },
    ({ row, kind }) => {
      for (const loss of losses) {
        const reference = attempted(() => {
          const objective = objectiveOf(row, kind, kernels.reference, loss);
          const weights = drawn(objective.free.size, 3);
          return { objective, weights, ...summed(objective, weights) };
        });
        for (const name of kernelNames) {
          const side = evaluated(row, kind, kernels[name], loss);
          if (reference instanceof TagstreamError || side instanceof TagstreamError) {
            expect(String(side)).toBe(String(reference));
            continue;
          }
          expect(difference([side.value], [reference.value])).toBeLessThan(digits[name]);
          expect(difference(side.gradient, reference.gradient)).toBeLessThan(digits[name]);
        }
        if (reference instanceof TagstreamError) continue;
        const { objective, weights, gradient } = reference;
        const rowByRow = summed(objective, weights, byRows);
        expect(difference(rowByRow.gradient, gradient)).toBeLessThan(digits.reference);
        // The slope in a direction at random, by finite differences.
        const way = drawn(weights.length, 9);
        const at = (by: number) =>
          summed(
            objective,
            weights.map((weight, i) => weight + by * way[i]!),
          ).value;
        const slope = gradient.reduce((sum, each, i) => sum + each * way[i]!, 0);
        expect(difference([(at(1e-5) - at(-1e-5)) / 2e-5], [slope])).toBeLessThan(1e-7);
      }
    },
  );
}

describe.each(rows)('the objective of $name', row => {
  it('has trainers by code that it has by files', () => {
    for (const component of trainers) {
      const { model } = settled(row, labelled, kernels.simd64);
      const loss = losses[0]!;
      const chosen = shown(component);
      const [options] = Object.values(chosen);
      const byName = attempted(() => learnerOf(chosen, { model, loss, train: undefined }));
      const byCode = attempted(() =>
        createLearner(model, {
          loss,
          optimizer: { kind: 'batch', component, options: options as never },
        }),
      );
      if (unfitLoss(chosen, loss) !== undefined) continue;
      expect(byCode instanceof TagstreamError).toBe(byName instanceof TagstreamError);
      if (byName instanceof TagstreamError) expect(String(byCode)).toBe(String(byName));
    }
  });

  it('is the same by other machines, or refused to them', () => {
    const sharing = { remote: new LocalSums(3, 2) };
    for (const loss of losses.filter(({ smooth }) => smooth)) {
      const alone = evaluated(row, labelled, kernels.simd64, loss);
      const remote = evaluated(row, labelled, kernels.simd64, loss, sharing);
      if (remote instanceof TagstreamError) continue;
      if (alone instanceof TagstreamError) throw alone;
      expect(difference([remote.value], [alone.value])).toBeLessThan(digits.simd64);
      expect(difference(remote.gradient, alone.gradient)).toBeLessThan(digits.simd64);
    }
  });
});

describe.each(rows.filter(({ trainedBy }) => trainedBy?.includes('lbfgs')))('$name', row => {
  it('has the same objective by two threads, or is refused', async () => {
    const group = new ThreadGroup(2);
    try {
      const alone = evaluated(row, labelled, kernels.simd64, losses[0]!);
      const together = evaluated(row, labelled, kernels.simd64, losses[0]!, { group });
      if (!(together instanceof TagstreamError)) expect(together).toEqual(alone);
    } finally {
      await group.close();
    }
  });
});

const epochs = 2;

/** What a little training comes to: the loss of each step, and the weights. */
function trained({ model, corpus }: Settled, loss: Loss, chosen: Record<string, unknown>) {
  const learner = learnerOf(chosen, { model, loss, train: { epochs } });
  const steps: number[] = [];
  if (learner instanceof BatchLearner) {
    learner.begin(corpus);
    for (let i = 0; i < epochs && !learner.ended; i += 1) {
      steps.push(learner.iterate().iteration!.objective);
    }
  } else {
    for (let from = 0; from < epochs * corpus.length; from += 6) {
      const at = from % corpus.length;
      const made = learner.contribute(packMinibatch(corpus.slice(at, at + 6)));
      steps.push(made.loss);
      learner.apply(made);
    }
  }
  const deployed = learner.deployedParameters();
  const free = new FreeParameters(deployed);
  const weights = new Float64Array(free.size);
  free.gather(deployed.weights, weights);
  return { steps, weights };
}

type Optimizing = (typeof optimizers)[number] | (typeof trainers)[number];

/** An optimizer with the options that its page shows, checked. */
function shown(component: Optimizing): Record<string, unknown> {
  const example = /optimize: (\{.*\})/.exec(component.example ?? '')?.[1];
  const [options] = Object.values(parse(example ?? '{ none: {} }') as Record<string, object>);
  return { [component.name]: component.options.parse(options as never) };
}

/** Why `train` refuses a request; undefined where only the records are missing. */
async function refusal(row: Row, trainer: object, loss: string) {
  const features = featuresOf(row, labelled);
  const request = { corpus: [], features, ...row.model, trainer, loss } as unknown as TrainRequest;
  const error = await train(request).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(TagstreamError);
  return (error as TagstreamError).code === 'empty-sentence' ? undefined : error;
}

/** Where float32 decides ties of label sequences or signs of slopes in another way, and weights jump. */
const jumping = ['cutting-planes', 'batch-perceptron', 'rprop'];

/** How near losses and weights have to be. Weights are deployed as float32; the first steps of sums of 1 / p are large. */
function closeness(kernel: string, optimizer: string, loss: string): [number, number] {
  if (kernel !== 'simd') return [1e-9, 1e-6];
  const jumps = jumping.includes(optimizer) || loss.endsWith('exponential');
  return jumps ? [0.02, 0.2] : [2e-4, 1e-3];
}

const all: readonly Optimizing[] = [...optimizers, ...trainers];

/**
 * Where smd diverges with all kernels but for float64 in the one case, and at another sentence with float32 in the other. Steps of
 * sums of 1 / p grow exponentially, and weights leave the range of float32 at 1e38, that of float64 at 1e308. Without the damping
 * of its gains smd diverges with float64, too.
 */
const beyondFloat32 = {
  diverges: 'a chain with weights of first and last labels: pointwise-exponential by simd, smd',
  divergesElsewhere: 'three layers: exponential by simd, smd',
};

describe.each(rows.filter(({ trainedBy }) => trainedBy !== undefined))('$name', row => {
  const tried = new Set<string>();
  const by = new Set<string>();
  const few = recordsOf(row, labelled).slice(0, 12);

  it.each(all)('is trained by $name to the same by all kernels, or refused', async component => {
    const chosen = shown(component);
    tried.add(component.name);
    for (const loss of losses.filter(each => unfitLoss(chosen, each) === undefined)) {
      if ((await refusal(row, chosen, loss.name)) !== undefined) continue;
      const [reference, ...others] = kernelNames.map(name =>
        attempted(() => trained(settled(row, labelled, kernels[name], few), loss, chosen)),
      );
      if (reference instanceof TagstreamError) {
        for (const [i, other] of others.entries()) {
          const what = `${row.name}: ${loss.name} by ${kernelNames[i + 1]!}, ${component.name}`;
          const isElsewhere = what === beyondFloat32.divergesElsewhere;
          if (isElsewhere) expect(String(other)).toMatch(/^TagstreamError: the loss of sentence/);
          expect(String(other) === String(reference), `${what}: ${other}`).toBe(!isElsewhere);
        }
        continue;
      }
      by.add(component.name);
      for (const [i, side] of others.entries()) {
        const name = kernelNames[i + 1]!;
        const what = `${loss.name} by ${name}`;
        if (side instanceof TagstreamError) {
          if (`${row.name}: ${what}, ${component.name}` === beyondFloat32.diverges) continue;
          expect(what).toBe(row.counts ? 'joint by simd' : 'trained');
          continue;
        }
        const [steps, weights] = closeness(name, component.name, loss.name);
        expect(difference(side.steps, reference!.steps), what).toBeLessThan(steps);
        expect(difference(side.weights, reference!.weights), what).toBeLessThan(weights);
      }
    }
  });

  it('is trained by those that are known to do so', () => {
    const known = row.trainedBy!.filter(name => tried.has(name));
    expect([...by]).toEqual(expect.arrayContaining(known));
  });
});

describe('a graph of three records', () => {
  interface Linked {
    readonly tokens: string[];
    readonly tags: string[];
    readonly links?: (number | string)[][];
  }
  const corpus: readonly Linked[] = [
    {
      ...{ tokens: ['a', 'b', 'c', 'a'], tags: ['X', 'Y', 'Z', 'X'] },
      links: [
        [0, 3, 's'],
        [1, 2, 'u'],
      ],
    },
    {
      tokens: ['b', 'b', 'a'],
      tags: ['Y', 'X', 'X'],
      links: [
        [0, 1, 's'],
        [0, 2, 's'],
      ],
    },
    { tokens: ['d'], tags: ['X'] },
  ];
  const triples: readonly Linked[] = corpus.map(record => ({
    ...record,
    ...(record.links === undefined ? {} : { links: [...record.links, [2, 0, 1, 't']] }),
  }));

  /** The objective of a model, over all label sequences one by one. */
  function enumerated(model: Model, l2: number, records: readonly Linked[]): number {
    const { labels, width, matrixSize, weights } = model.parameters;
    const [state, edges] = [weights.state.view, weights.edges.view];
    let value = 0;
    for (const table of [state, edges]) for (const weight of table) value += l2 * weight ** 2;
    for (const { tokens, tags, links } of records) {
      const part = { index: 0, count: 1, start: 0 };
      const encoded = model.encodeKnown({ tokens, columns: {}, document: { tokens, links }, part });
      const { stateStarts, stateRows, edgeStarts, edgeRows } = encoded;
      const scoreOf = (path: readonly number[]) => {
        let score = 0;
        for (const [t, y] of path.entries()) {
          const active = stateRows.subarray(stateStarts[t], stateStarts[t + 1]);
          for (const row of active) score += state[row * width + y]!;
        }
        for (const [k, link] of (links ?? []).entries()) {
          const nodes = link.slice(0, -1).map(t => path[t as number]!);
          const [x, y] = [nodes.at(-2)!, nodes.at(-1)!];
          // Links of three come last: a square for each label of their first.
          const position = tokens.length + k + (nodes.length > 2 ? nodes[0]! : 0);
          const active = edgeRows!.subarray(edgeStarts![position], edgeStarts![position + 1]);
          for (const row of active) score += edges[row * matrixSize + x * width + y]!;
        }
        return score;
      };
      let sum = 0;
      for (let number = 0; number < labels ** tokens.length; number += 1) {
        const path = tokens.map((_, t) => Math.floor(number / labels ** t) % labels);
        sum += Math.exp(scoreOf(path));
      }
      value += Math.log(sum) - scoreOf(tags.map(tag => model.labels.find(tag)));
    }
    return value;
  }

  it.each([
    ['pairs', corpus, 3.724066],
    ['triples', triples, 3.18237],
  ] as const)(
    'has its minimum by all batch trainers and kernels, with links of %s',
    async (_, records, minimum) => {
      for (const name of ['lbfgs', 'owl-qn', 'cg', 'rprop']) {
        const exact = { l2: 0.2, tolerance: 1e-7, decrease: 0 };
        const trainer = { [name]: name === 'owl-qn' ? { ...exact, l1: 0 } : exact } as never;
        for (const kernel of kernelNames) {
          const features = { templates: 'U00:%x[0,0]' };
          const request = { corpus: records, features, structure: 'graph', trainer } as const;
          const { bytes, iteration } = await train({ ...request, kernel: kernels[kernel] });
          const within = kernel === 'simd' ? 5 : 6;
          expect(iteration!.objective).toBeCloseTo(minimum, within);
          expect(enumerated(readModel(bytes), 0.2, records)).toBeCloseTo(minimum, within);
        }
      }
    },
  );
});

function predictedIn({ minibatch, predicted }: Contribution): number[] {
  const { sentenceStarts, tokenEnds } = minibatch;
  return [...predicted!.subarray(0, tokenEnds?.[0] ?? sentenceStarts[1]!)];
}

/** Label sequences of so many labels and tokens. */
function sequences(labels: number, length: number): number[][] {
  if (length === 0) return [[]];
  const shorter = sequences(labels, length - 1);
  return shorter.flatMap(path => Array.from({ length: labels }, (_, y) => [...path, y]));
}

/** The probabilities of tags and of pairs of neighbouring ones, from the score of each label sequence. */
function enumeratedPairs(model: Model, minibatch: Minibatch) {
  const { kernel, parameters, labels } = model;
  const lattice = new Lattice(parameters.memory, parameters.precision);
  lattice.whole = Uint8Array.of(1);
  scoreBatch(kernel, parameters, lattice, minibatch);
  const own = structureOf(parameters.layout).kernel?.(kernel) ?? kernel;
  const { columns, tags } = reportedLabels(labels);
  const all = sequences(labels.size, minibatch.tokens);
  const scores = all.map(path => own.pathScore(lattice, 0, Int32Array.from(path)));
  const most = Math.max(...scores);
  const total = scores.reduce((sum, score) => sum + Math.exp(score - most), 0);
  const nodes = new Float64Array(minibatch.tokens * tags.length);
  const pairs = new Float64Array(minibatch.tokens * tags.length ** 2);
  for (const [i, path] of all.entries()) {
    const share = Math.exp(scores[i]! - most) / total;
    for (const [t, y] of path.entries()) {
      nodes[t * tags.length + columns[y]!]! += share;
      if (t === 0) continue;
      pairs[(t * tags.length + columns[path[t - 1]!]!) * tags.length + columns[y]!]! += share;
    }
  }
  return { nodes, pairs };
}

/** Sparse pairs as a number for each pair of tags of each token. */
function densePairs({ labels, starts, from, to, values }: PairMarginals): Float64Array {
  const dense = new Float64Array((starts.length - 1) * labels.length ** 2);
  for (let t = 0; t + 1 < starts.length; t += 1) {
    for (let i = starts[t]!; i < starts[t + 1]!; i += 1) {
      dense[(t * labels.length + from[i]!) * labels.length + to[i]!] = values[i]!;
    }
  }
  return dense;
}

/** Sentences whose label sequences can be written out. */
const mostSequences = 30_000;

for (const { rows: some, tags } of withKernels) {
  const what =
    'the pairs of tags of $row.name are those of the enumeration, and add up to those of tags: $name';
  it.each(some)(what, { tags }, ({ row, name }) => {
    const { model, corpus } = settled(row, labelled, kernels[name]);
    const random = new Random(8);
    for (const { table, at, supported } of parameterPlaces(model.parameters)) {
      if (supported) model.parameters.weights[table].view[at] = 2 * random.uniform() - 1;
    }
    const decoder = new Decoder(model.kernel, unrestricted(model));
    const asked = { marginals: 'pairs', pairThreshold: 0, constraints: false } as const;
    let [compared, pairsFound] = [0, 0];
    for (const sentence of corpus) {
      if (model.labels.size ** sentence.length > mostSequences) continue;
      const minibatch = packMinibatch([sentence]);
      const decode = (options: DecodeOptions) =>
        attempted(() => decoder.decode(model.parameters, minibatch, options));
      const found = decode(asked);
      if (found instanceof TagstreamError) {
        // No sums at all, or neighbours that are not linked.
        const { codes, structure } = row.model;
        const isUnlinked = structure === 'graph' && !row.templates.includes('B');
        const decidesByDistance = codes !== undefined && (codes.decoder ?? 'product') !== 'product';
        expect(isUnlinked || decidesByDistance).toBe(true);
        expect(found.fix).toMatch(/^train it with/);
        return;
      }
      compared += 1;
      const own = found.pairMarginals![0]!;
      const dense = densePairs(own);
      const expected = enumeratedPairs(model, minibatch);
      const isApproximate = row.model.structure === 'graph' && row.model.maxWidth === 0;
      if (!isApproximate || (sentence.links?.from.length ?? 0) === 0) {
        expect(difference(dense, expected.pairs)).toBeLessThan(digits[name]);
      }
      if (own.labels.length > 1) pairsFound += own.values.length;
      const tags = own.labels.length;
      const tag = own.labels.map((_, y) => y);
      const pair = (t: number, from: number, to: number) => dense[(t * tags + from) * tags + to]!;
      const sum = (of: (y: number) => number) => tag.reduce((total, y) => total + of(y), 0);
      const { columns } = reportedLabels(model.labels);
      for (let t = 0; t < sentence.length; t += 1) {
        const chosen = columns[found.labels[t]!]!;
        const node = found.marginals![t]!;
        const within = isApproximate ? 1e-3 : 1e-12;
        if (t > 0) expect(Math.abs(sum(y => pair(t, y, chosen)) - node)).toBeLessThan(within);
        if (t + 1 === sentence.length) continue;
        expect(Math.abs(sum(y => pair(t + 1, chosen, y)) - node)).toBeLessThan(within);
      }
      // Above a threshold there are the same pairs.
      for (const pairThreshold of [undefined, 0.2]) {
        const fewer = decode({ ...asked, pairThreshold }) as Decoded;
        const kept = dense.map(p => (p > (pairThreshold ?? 0.01) ? p : 0));
        expect(densePairs(fewer.pairMarginals![0]!)).toEqual(kept);
      }
    }
    expect(compared).toBeGreaterThan(3);
    expect(pairsFound).toBeGreaterThan(20);
  });
}

for (const { rows: some, tags } of withKernels) {
  const what = 'a stream is tagged by the average over a window of $row.name: $name';
  it.each(some)(what, { tags }, ({ row, name }) => {
    const { model, corpus } = settled(row, labelled, kernels[name]);
    const average = { window: 4 };
    const learner = attempted(() =>
      row.model.codes === undefined
        ? createLearner(model, {
            ...{ loss: logLoss(), optimizer: sgd({ eta0: 1, average }), corpusSize: 18 },
          })
        : createLearner(model, {
            ...{ loss: perceptronLoss(), optimizer: perceptron({ average }), corpusSize: 18 },
          }),
    );
    if (learner instanceof TagstreamError) throw learner;
    let others = 0;
    for (const sentence of [...corpus, ...corpus]) {
      const minibatch = packMinibatch([sentence]);
      const made = attempted(() => learner.contribute(minibatch, true));
      if (made instanceof TagstreamError) {
        // Models of these are counted, or trained by their own trainers.
        expect(ofScorer[row.model.scorer!]).not.toContain('sgd');
        return;
      }
      const found = predictedIn(made);
      const labelsBy = (store: ParameterStore) => {
        const lattice = new Lattice(store.memory, store.precision);
        return predictedIn(
          contributionOf(model.kernel, store, lattice, minibatch, learner.loss, true),
        );
      };
      expect(found).toEqual(labelsBy(learner.deployedParameters()));
      if (`${labelsBy(model.parameters)}` !== `${found}`) others += 1;
      learner.apply(learner.contribute(minibatch, true));
    }
    expect(others).toBeGreaterThan(0);
  });
}
