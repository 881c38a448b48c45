import { Random } from '../../core/random.js';
import type { Reals } from '../../core/reals.js';
import type { Model } from '../model.js';

/**
 * Gives the weights of a model with hidden states random starts, uniform in [-spread, spread]: states of a label whose
 * weights are alike get the same gradients, and would stay alike. Only weights that there are get one. The same seed and
 * corpus give the same start. Does nothing to a model without hidden states, or with the scorer hmm, whose tables set components apart.
 *
 * To be called when the model has its features and labels, before anything is learned. Cost O(all weights).
 */
export function startStates(model: Model): void {
  const { hidden, scorer } = model.spec;
  if (hidden === undefined || scorer === 'hmm') return;
  model.reserve();
  const { parameters } = model;
  const { labels, width, stateRows, edgeRows, layout, support, pairs, weights } = parameters;
  const random = new Random(hidden.seed);
  const put = (view: Reals, at: number) => {
    view[at] = hidden.spread * (2 * random.uniform() - 1);
  };
  const { matrixSize, hasEdgeBlocks } = parameters;
  const plain = layout.transitions ? 0 : 1;
  const edges = weights.edges.view;
  for (let block = plain; block < (hasEdgeBlocks ? edgeRows : 1); block += 1) {
    for (let pair = 0; pair < labels * labels; pair += 1) {
      const at = Math.floor(pair / labels) * width + (pair % labels);
      if (block === 0 && support?.transitions[at] === 0) continue;
      put(edges, block * matrixSize + at);
    }
  }
  const conditioned = weights.pairs.view;
  for (let pair = 0; pair < pairs.size; pair += 1) put(conditioned, pair);
  const states = weights.state.view;
  for (let row = 0; row < stateRows; row += 1) {
    for (let y = 0; y < labels; y += 1) {
      const at = row * width + y;
      if (support === undefined || support.state[at] === 1) put(states, at);
    }
  }
}
