import { describe, expect, it } from 'vitest';
import type { Reals } from '../../src/engine/core/arrays.js';
import { packMinibatch } from '../../src/engine/core/minibatch/pack-minibatch.js';
import { Random } from '../../src/engine/core/random.js';
import type { Sentence } from '../../src/engine/core/sentence/sentence.js';
import type { Kernel } from '../../src/engine/kernels/kernel.js';
import { Lattice } from '../../src/engine/kernels/lattice.js';
import type { ParameterStore } from '../../src/engine/kernels/store/parameter-store.js';
import { contributionOf } from '../../src/engine/losses/contribution-of.js';
import { writeModel } from '../../src/engine/models/files/model-file.js';
import { createOnlineLearner, type Learner } from '../../src/engine/models/learning/learner.js';
import type { Model } from '../../src/engine/models/model.js';
import { restoreModelState, saveModelState } from '../../src/engine/models/state/model-state.js';
import type { OptimizerComponent } from '../../src/engine/optimizers/optimizer.js';
import { optimizers } from '../../src/engine/optimizers/optimizers.js';
import { sentenceOf } from '../engine/features/sentence-of.js';
import { deepCopy } from '../engine/models/examples/deep-copy.js';
import { digest } from '../engine/models/examples/digest.js';
import { modelWith } from '../engine/models/examples/model-with.js';
import { smallCorpus } from '../engine/optimizers/small-corpus.js';
import { coverValues, everyNth } from '../house/long-forms.js';
import { pluginOptimizers, pluginRow } from '../runtime/plugins/plugin-components.js';
import { type OptimizerRow, rows } from './optimizer-rows.js';
import { kernelRows } from './oracle/kernels/kernels.js';

const templates = 'U0:%x[0,0]\nU1:%x[-1,0]\nU2:%v[0,n]\nB\nB0:%x[0,0]';
const corpusSize = 40;

function componentOf({ name }: OptimizerRow): OptimizerComponent<never> {
  return [...optimizers, ...pluginOptimizers()].find(component => component.name === name)!;
}

function learnerOf(row: OptimizerRow, model: Model, options = row.options): Learner {
  const optimizer = componentOf(row);
  return createOnlineLearner(model, {
    loss: row.loss,
    optimizer,
    options: options as Partial<never>,
    corpusSize,
  });
}

function emptyModel(kernel: Kernel, { spec }: OptimizerRow): Model {
  return modelWith(kernel, { templates, columns: ['form', 'n'], ...spec });
}

function learn(learner: Learner, sentences: readonly Sentence[]): void {
  const batch = packMinibatch(sentences.map(sentence => learner.model.encode(sentence)));
  learner.apply(learner.contribute(batch));
}

/** A stream in which words and labels keep coming: 2 labels at first, 6 at the end. */
function growingStream(): Sentence[] {
  const random = new Random(31);
  const shapes = [
    { labels: 2, words: 4, longest: 3 },
    { labels: 3, words: 10, longest: 4 },
    { labels: 6, words: 30, longest: 5 },
  ];
  return shapes.flatMap(shape => smallCorpus(random, 30, shape));
}

function learnStream(learner: Learner, stream: readonly Sentence[], batch = 3): void {
  for (let i = 0; i < stream.length; i += batch) learn(learner, stream.slice(i, i + batch));
}

/** Every number of the weights, the scale, and all that the optimizer keeps. */
function everything(learner: Learner): object {
  const { weights, scale } = learner.model.parameters;
  const { json, arrays } = learner.optimizer.save();
  const tables = [weights.state, weights.edges, weights.pairs].map(({ view }) => view);
  return {
    scale,
    json,
    names: Object.keys(arrays),
    bits: digest(...tables, ...Object.values(arrays)),
  };
}

function objectiveOf(row: OptimizerRow, learner: Learner, corpus: readonly Sentence[]): number {
  const { model } = learner;
  const deployed = learner.deployedParameters();
  const batch = packMinibatch(corpus.map(sentence => model.encodeKnown(sentence)));
  const { kernel } = model;
  const lattice = new Lattice(deployed.memory, deployed.precision);
  const loss = contributionOf(kernel, deployed, lattice, batch, row.loss, true);
  if (row.penalty === undefined) {
    return batch.gold.filter((label, t) => label !== loss.predicted![t]).length;
  }
  const { state, edges } = deployed.weights;
  const penalty = (view: Reals) => Array.from(view).reduce((sum, w) => sum + row.penalty!(w), 0);
  return loss.loss + penalty(state.view) + penalty(edges.view);
}

function lanesPast(store: ParameterStore, numbers: Reals): Reals {
  return numbers.filter((_, i) => i % store.width >= store.labels);
}

/** Each optimizer with one of the kernels, and each kernel as often; the rest is slow. */
const withKernels = coverValues(
  kernelRows.flatMap(({ name, kernel }) =>
    [
      ...rows.filter(({ counts }) => counts !== true || kernel.precision === 'float64'),
      pluginRow,
    ].map(row => ({ row, kernel, kernelName: name })),
  ),
  ({ row, kernelName }) => [`${row.name}, ${row.variant}`, kernelName],
);

for (const { rows: some, tags } of withKernels) {
  describe.each(some)(
    '$row.name, $row.variant, with the $kernelName kernel',
    { tags },
    ({ row, kernel }) => {
      it('has a default for each option, and refuses what it does not know', () => {
        const { options } = componentOf(row);
        const defaults = options.parse({});
        expect(options.parse(defaults)).toEqual(defaults);
        expect(options.safeParse({ ...(defaults as object), unknown: 1 }).success).toBe(false);
        expect(options.safeParse(row.options).success).toBe(true);
        expect(learnerOf(row, emptyModel(kernel, row), {}).optimizer.name).toBe(row.name);
      });

      it('has a step size that is a positive number, before and after', () => {
        const learner = learnerOf(row, emptyModel(kernel, row));
        const before = learner.optimizer.stepSize;
        learnStream(learner, growingStream());
        for (const size of [before, learner.optimizer.stepSize]) {
          expect(Number.isFinite(size) && size > 0).toBe(true);
        }
      });

      it('lowers what it is there to lower', () => {
        const corpus = smallCorpus(new Random(32), corpusSize);
        const learner = learnerOf(row, emptyModel(kernel, row));
        for (const sentence of corpus) learner.model.encode(sentence);
        const before = objectiveOf(row, learner, corpus);
        const after: number[] = [];
        for (let pass = 0; pass < 6; pass += 1) {
          learnStream(learner, corpus, 1);
          after.push(objectiveOf(row, learner, corpus));
        }
        // With a heavy penalty there is little to be had.
        const share = row.options.l2 === 12 ? 0.97 : 0.75;
        expect(after.at(-1)).toBeLessThan(share * before);
        expect(after[0]).toBeLessThan(before);
      });

      const order = row.counts === true ? 'of any order' : 'and other bytes of another order';
      it(`makes the same bytes of the same sentences, ${order}`, () => {
        const bytesOf = (stream: readonly Sentence[]) => {
          const learner = learnerOf(row, emptyModel(kernel, row));
          for (const sentence of growingStream()) learner.model.encode(sentence);
          learnStream(learner, stream);
          return digest(writeModel(learner));
        };
        const stream = growingStream();
        const bytes = bytesOf(stream);
        expect(bytesOf(stream)).toBe(bytes);
        expect(bytesOf(stream.toReversed()) === bytes).toBe(row.counts === true);
      });

      for (const { rows, tags } of everyNth(3, [1, 2, 10, 11, 20, 29]))
        it.each(rows)(
          'resumes from a state saved after %i steps with the same bytes, creation times included',
          { tags },
          steps => {
            const stream = growingStream();
            const whole = learnerOf(row, emptyModel(kernel, row));
            learnStream(whole, stream.slice(0, steps * 3));
            const model = deepCopy(saveModelState(whole.model));
            const state = deepCopy(whole.save());
            learnStream(whole, stream.slice(steps * 3));

            const restored = learnerOf(row, restoreModelState(model, kernel));
            restored.restore(state);
            learnStream(restored, stream.slice(steps * 3));
            expect(restored.optimizer.stepSize).toBe(whole.optimizer.stepSize);
            expect(restored.sentencesSeen).toBe(whole.sentencesSeen);
            expect(digest(writeModel(restored))).toBe(digest(writeModel(whole)));
            expect(deployedAndPresent(restored)).toEqual(deployedAndPresent(whole));
          },
        );

      it('saves the same state as it was restored from', () => {
        const learner = learnerOf(row, emptyModel(kernel, row));
        learnStream(learner, growingStream());
        const state = deepCopy(learner.save());
        const model = restoreModelState(deepCopy(saveModelState(learner.model)), kernel);
        const restored = learnerOf(row, model);
        restored.restore(state);
        const again = restored.save();
        expect(again.json).toEqual(state.json);
        expect(Object.keys(again.arrays)).toEqual(Object.keys(state.arrays));
        for (const [name, array] of Object.entries(state.arrays)) {
          // A restored table has room for its rows alone; what is beyond them is zero.
          const restoredArray = again.arrays[name]!;
          const length = Math.min(array.length, restoredArray.length);
          expect(restoredArray.slice(0, length)).toEqual(array.slice(0, length));
          expect(array.slice(length).every(number => number === 0)).toBe(true);
          expect(restoredArray.slice(length).every(number => number === 0)).toBe(true);
        }
      });

      it('learns nothing from sentences without tokens, wherever they stand in a minibatch', () => {
        const corpus = smallCorpus(new Random(36), 24);
        const none = { ...sentenceOf([], { tags: [] }), weight: 2 };
        const [plain, mixed] = [0, 1].map(() => learnerOf(row, emptyModel(kernel, row)));
        for (let i = 0; i < corpus.length; i += 3) {
          const [first, ...rest] = corpus.slice(i, i + 3);
          learn(plain!, [first!, ...rest]);
          learn(
            mixed!,
            i % 2 === 0 ? [none, first!, none, none, ...rest] : [first!, ...rest, none],
          );
          learn(mixed!, [none]);
        }
        expect(mixed!.sentencesSeen).toBe(plain!.sentencesSeen);
        expect(everything(mixed!)).toEqual(everything(plain!));
      });

      it('uses a minibatch sentence by sentence, each scored at the weights before the batch', () => {
        const corpus = smallCorpus(new Random(33), 32);
        const together = learnerOf(row, emptyModel(kernel, row));
        const apart = learnerOf(row, emptyModel(kernel, row));
        for (const learner of [together, apart]) {
          for (const sentence of corpus) learner.model.encode(sentence);
        }
        for (let i = 0; i < corpus.length; i += 8) {
          const batch = corpus.slice(i, i + 8);
          learn(together, batch);
          const contributions = batch.map(sentence =>
            apart.contribute(packMinibatch([apart.model.encode(sentence)])).detach(),
          );
          for (const contribution of contributions) apart.apply(contribution);
        }
        expect(everything(apart)).toEqual(everything(together));
        const one = learnerOf(row, emptyModel(kernel, row));
        for (const sentence of corpus) one.model.encode(sentence);
        learnStream(one, corpus, 1);
        if (row.counts === true) expect(everything(one)).toEqual(everything(together));
        else expect(everything(one)).not.toEqual(everything(together));
      });

      const { timeless } = row;
      // Counts are shares of all that came before.
      if (timeless === undefined) expect(row.counts).toBe(true);
      else
        it('learns words and labels that come late as if they had been there from the start', () => {
          const own = smallCorpus(new Random(34), 30, { labels: 3, words: 6, longest: 3 });
          const first = sentenceOf(['-'], { tags: ['L0'], columns: { n: [0] } });
          const second = { ...first, tags: ['L1'] };
          const before = smallCorpus(new Random(35), 50, { labels: 2, words: 5, longest: 1 });
          const others = before.map(({ tokens, ...rest }) => ({
            ...rest,
            tokens: tokens.map(token => `other ${token}`),
            columns: { n: [0] },
          }));
          const weightsAfter = (stream: readonly Sentence[]) => {
            const model = modelWith(kernel, { templates: 'U0:%x[0,0]', columns: ['form', 'n'] });
            const learner = learnerOf(row, model, timeless);
            learnStream(learner, stream, 1);
            const deployed = learner.deployedParameters();
            const probe = model.encodeKnown(sentenceOf(['w0', 'w1', 'w2', 'w3', 'w4', 'w5']));
            return Array.from(probe.stateRows, at =>
              [0, 1, 2].map(y => deployed.weights.state.view[at * deployed.width + y]!),
            );
          };
          const early = weightsAfter([first, second, ...own]).flat();
          const late = weightsAfter([first, second, ...others, ...own]).flat();
          const digits = kernel.precision === 'float64' ? 6 : 5;
          for (const [i, weight] of early.entries()) expect(late[i]).toBeCloseTo(weight, digits);
          expect(early.filter(weight => weight !== 0).length).toBeGreaterThan(8);
        });

      it('ends with the weights that it deploys, in the place of its own', () => {
        const learner = learnerOf(row, emptyModel(kernel, row));
        learnStream(learner, smallCorpus(new Random(39), 24));
        const { weights, scale, stateRows, width } = learner.deployedParameters();
        const finished = learner.finish();
        const votes = learner.optimizer.voters !== undefined;
        expect(finished === learner.model.parameters).toBe(!votes);
        expect([finished.scale, scale]).toEqual([1, 1]);
        for (const table of ['state', 'edges', 'pairs'] as const) {
          const expected = weights[table].view;
          expect(finished.weights[table].view.subarray(0, expected.length)).toEqual(expected);
        }
        expect(weights.state.view.length).toBeGreaterThanOrEqual(stateRows * width);
      });

      it('learns nothing from sentences without labels, or with labels that the model does not know', () => {
        const corpus = smallCorpus(new Random(36), 24);
        const strangers = smallCorpus(new Random(37), 24).map(({ tags, ...sentence }, i) =>
          i % 2 === 0 ? sentence : { ...sentence, tags: tags!.with(0, 'unknown') },
        );
        const run = (mixed: boolean) => {
          const learner = learnerOf(row, emptyModel(kernel, row));
          for (const sentence of corpus) learner.model.encode(sentence);
          learner.model.frozen = true;
          for (let i = 0; i < corpus.length; i += 2) {
            const own = corpus.slice(i, i + 2);
            learn(learner, mixed ? [strangers[i]!, own[0]!, strangers[i + 1]!, own[1]!] : own);
            if (mixed) {
              const before = everything(learner);
              learn(learner, strangers.slice(i, i + 2));
              expect(everything(learner)).toEqual(before);
            }
          }
          return learner;
        };
        const mixed = run(true);
        const alone = run(false);
        expect(everything(mixed)).toEqual(everything(alone));
        expect(mixed.sentencesSeen).toBe(24);
        expect(digest(writeModel(mixed))).toBe(digest(writeModel(alone)));
      });

      it('leaves all lanes past the last label at zero', () => {
        const learner = learnerOf(row, emptyModel(kernel, row));
        const stream = growingStream();
        let checked = 0;
        for (let i = 0; i < stream.length; i += 5) {
          learn(learner, stream.slice(i, i + 5));
          const { parameters } = learner.model;
          const { weights } = parameters;
          const kept = Object.entries(learner.optimizer.save().arrays)
            .filter(([name]) => /^(?!births).*\.(state|edges)$/.test(name))
            .map(([, array]) => array as Reals);
          for (const plane of [weights.state.view, weights.edges.view, ...kept]) {
            const lanes = lanesPast(parameters, plane);
            checked += lanes.length;
            expect(lanes.every(lane => Object.is(lane, 0) || Object.is(lane, -0))).toBe(true);
          }
        }
        expect(checked).toBeGreaterThan(1000);
      });

      it('deploys without changing anything, as often as asked', () => {
        const stream = growingStream();
        const quiet = learnerOf(row, emptyModel(kernel, row));
        learnStream(quiet, stream);
        const asked = learnerOf(row, emptyModel(kernel, row));
        for (let i = 0; i < stream.length; i += 3) {
          learn(asked, stream.slice(i, i + 3));
          asked.optimizer.prepare();
          const before = everything(asked);
          const first = asked.model.parameters.emptyCopy();
          asked.optimizer.deploy(first.weights);
          expect(everything(asked)).toEqual(before);
          const second = asked.model.parameters.emptyCopy();
          asked.optimizer.deploy(second.weights);
          const bits = [first, second].map(({ weights }) =>
            digest(weights.state.view, weights.edges.view),
          );
          expect(bits[1]).toBe(bits[0]);
        }
        quiet.optimizer.prepare();
        expect(everything(asked)).toEqual(everything(quiet));
        expect(digest(writeModel(asked))).toBe(digest(writeModel(quiet)));
      });

      it('counts the updates in the version of the parameters', () => {
        const learner = learnerOf(row, emptyModel(kernel, row));
        learnStream(learner, growingStream());
        expect(learner.model.parameters.version).toBe(30);
      });
    },
  );
}

function deployedAndPresent(learner: Learner): unknown {
  const deployed = learner.deployedParameters();
  const { parameters } = learner.model;
  const rows = parameters.stateRows * parameters.width;
  const edges = parameters.edgeRows * parameters.matrixSize;
  return [deployed, parameters].map(({ weights, scale }) => ({
    state: digest(weights.state.view.subarray(0, rows)),
    edges: digest(weights.edges.view.subarray(0, edges)),
    scale,
  }));
}
