import { Lattice } from '../../../../dist/engine/kernels/lattice.js';
import { SimdKernel } from '../../../../dist/engine/kernels/simd/simd-kernel.js';
import { ParameterStore } from '../../../../dist/engine/kernels/store/parameter-store.js';
import { contributionOf } from '../../../../dist/engine/losses/contribution-of.js';
import { logLoss } from '../../../../dist/engine/losses/log-loss.js';
import { packMinibatch, Random } from '../library.mjs';

const sentences = 16;
const length = 25;
const stateRows = 200;
const active = 3;
/** Features that transitions are conditioned on, and how many of them a token has. */
const edgeRows = 100;

/**
 * A batch of 16 sentences of 25 tokens with 3 features each, all weights random, of which a share of the
 * transitions is not 0; only these may have a weight. What can be timed on it, by one form of the kernel:
 *
 * - `forward-backward`: the scaled recursion with the sums of edge marginals;
 * - `marginals`: the same without these sums, as for tagging;
 * - `iteration`: all of a training iteration for weights that have changed, from scores to gradient;
 * - `viterbi` alone, and `decode` with the scores.
 *
 * With `conditioned` features the transitions into a token are those of its one edge feature out of 100, each with
 * pairs of its own, as many as the share says; there are no others.
 *
 * With `prune` tokens keep the labels that are near the best, and `forward-backward` runs over what is left.
 *
 * @param {{ labels: number, density: number, precision: 'float64' | 'float32', conditioned?: boolean, prune?: { most: number, ratio: number } }} shape
 * @param {'dense' | 'sparse' | 'auto'} form
 */
export function sparseWork(shape, form) {
  const { precision, conditioned = false } = shape;
  const kernel = new SimdKernel(precision);
  const { store, batch } = problem(shape);
  const lattice = new Lattice(store.memory, precision);
  lattice.transitionForm = form;
  const plane = store.addPlane();
  const path = new Int32Array(batch.tokens);
  const all = work => {
    for (let s = 0; s < sentences; s += 1) work(s);
  };
  const score = () => {
    lattice.allowsLists = true;
    lattice.open(store, batch);
    kernel.score(store, lattice);
  };
  const marginals = reads => () => {
    lattice.readsPairSums = reads;
    all(s => kernel.forwardBackwardScaled(lattice, s));
    lattice.readsPairSums = true;
  };
  score();
  kernel.exponentiate(lattice);
  const iteration = () => {
    store.scale *= 1 + 1e-12;
    const contribution = contributionOf(kernel, store, lattice, batch, logLoss);
    all(s => kernel.accumulate(store, plane, contribution, s, 1, !conditioned));
  };
  const viterbi = () => all(s => kernel.viterbi(lattice, s, path));
  return {
    'forward-backward': marginals(true),
    marginals: marginals(false),
    viterbi,
    iteration,
    decode: () => {
      score();
      viterbi();
    },
  };
}

/** Tokens of a batch. */
export const tokens = sentences * length;

function problem({ labels, density, precision, conditioned = false, prune }) {
  const random = new Random(7);
  const layout = { transitions: !conditioned, support: 'observed', precision, prune };
  const store = new ParameterStore(layout, labels);
  store.reserve({ labels, stateRows, edgeRows: conditioned ? 1 + edgeRows : 1 });
  const state = store.weights.state.view;
  for (let row = 0; row < stateRows; row += 1) {
    for (let y = 0; y < labels; y += 1) {
      store.observeState(row, y);
      state[row * store.width + y] = random.normal();
    }
  }
  for (let row = conditioned ? 1 : 0; row < store.edgeRows; row += 1) {
    observe(store, row, random, density);
  }
  store.fitPairs();
  const pairs = store.weights.pairs.view;
  for (let slot = 0; slot < store.pairs.size; slot += 1) pairs[slot] = random.normal();
  return {
    store,
    batch: packMinibatch(
      Array.from({ length: sentences }, () => sentence(random, labels, conditioned)),
    ),
  };
}

/** Gives a share of the label pairs of an edge feature, or of the plain transitions, a weight. */
function observe(store, row, random, density) {
  const { labels, width } = store;
  const edges = store.weights.edges.view;
  for (let from = 0; from < labels; from += 1) {
    for (let to = 0; to < labels; to += 1) {
      if (random.uniform() >= density) continue;
      store.observeEdge(row, from, to);
      if (row === 0) edges[from * width + to] = random.normal();
    }
  }
}

function sentence(random, labels, conditioned) {
  return {
    length,
    stateStarts: Uint32Array.from({ length: length + 1 }, (_, t) => active * t),
    stateRows: Uint32Array.from({ length: active * length }, () => random.below(stateRows)),
    gold: Int32Array.from({ length }, () => random.below(labels)),
    ...(conditioned && {
      edgeStarts: Uint32Array.from({ length: length + 1 }, (_, t) => t),
      edgeRows: Uint32Array.from({ length }, () => 1 + random.below(edgeRows)),
    }),
    sentence: {
      tokens: new Array(length).fill('w'),
      columns: {},
      document: {},
      part: { index: 0, count: 1, start: 0 },
    },
  };
}
