import type { Reals } from '../../core/arrays.js';
import { TagstreamError } from '../../core/errors.js';
import type { EncodedSentence } from '../../core/minibatch/encoded-sentence.js';
import { Random } from '../../core/random.js';
import { learnLexicon } from '../../features/context/learn-lexicon.js';
import { scorerHas } from '../../inference/scorers/scorers.js';
import { isSpanScheme } from '../../text/tags/tag-scheme.js';
import { observe } from '../labels/observe.js';
import type { Model } from '../model.js';
import { selectFeatures } from '../selection/select-features.js';

/**
 * Freezes a model once its whole corpus has been encoded, and fixes its size. Drops features below a cutoff, for which
 * all sentences are encoded once more, and then, if the specification requests a selection, those with too little
 * information about the label. Assigns code words to labels and initial weights to hidden states.
 *
 * @throws TagstreamError `config` if features would have to be pruned or there is no code for the labels
 */
export function settleCorpus(
  model: Model,
  collected: readonly EncodedSentence[],
): readonly EncodedSentence[] {
  if (model.spec.index.mode === 'exact' && model.spec.index.pruneEvery !== undefined) {
    throw new TagstreamError(
      'config',
      'pruneEvery cannot be combined with several passes: features are pruned only on a stream',
      {
        fix: 'leave pruneEvery out; for a small model use sgd-l1',
      },
    );
  }
  // A resumed model already has its features and weights.
  const isNew = !model.frozen;
  const selection =
    model.spec.index.mode === 'exact' && isNew ? model.spec.index.information : undefined;
  const { labels } = model;
  const corpus = encodeCliques(model, encodeWithLexicon(model, collected));
  if (isNew) labels.codes?.choose(labels.names);
  model.corpusSize = corpus.length;
  model.frozen = true;
  const { index, support } = model.spec;
  const known = index.mode !== 'exact' || index.cutoff === 1;
  const counted = known ? corpus : corpus.map(encoded => model.encode(encoded.sentence));
  const settled = selection === undefined ? counted : selectFeatures(model, counted, selection);
  model.parameters.layOutFor(labels.columns);
  if ((settled !== corpus || labels.codes !== undefined) && support === 'observed') {
    model.reserve();
    for (const encoded of settled) observe(model.parameters, encoded, labels);
  }
  if (model.spec.compressed === true) {
    model.reserve();
    model.parameters.closePairs();
  }
  if (isNew) startStates(model);
  return settled;
}

/**
 * Learns the lexicon of a corpus if templates use it (`%seen`), and encodes the sentences again, each with the
 * lexicon of the other parts of the corpus. See `learnLexicon`.
 */
function encodeWithLexicon(
  model: Model,
  corpus: readonly EncodedSentence[],
): readonly EncodedSentence[] {
  const { extractor } = model;
  if (!extractor.readsLexicon) return corpus;
  const sentences = corpus.map(({ sentence }) => sentence);
  const { lexicon, columns } = learnLexicon(sentences, isSpanScheme(model.scheme));
  extractor.plan.words.lexicon = lexicon;
  return sentences.map((sentence, s) =>
    model.encodeAgain({ ...sentence, context: { ...sentence.context, seen: columns[s]! } }),
  );
}

/**
 * Encodes sentences with links of three or more tokens again, because their features depend on labels, all of which
 * are now known.
 */
function encodeCliques(
  model: Model,
  corpus: readonly EncodedSentence[],
): readonly EncodedSentence[] {
  const linked = corpus.filter(({ links }) => links?.cliques !== undefined);
  if (linked.length === 0) return corpus;
  if (!model.frozen) {
    for (const { sentence } of linked) model.links!.internCliques(sentence, model.edgeIndex);
  }
  return corpus.map(each =>
    each.links?.cliques === undefined ? each : model.encodeKnown(each.sentence),
  );
}

/**
 * Gives the weights of a model with hidden states random initial values, uniform in [-spread, spread], because states
 * of a label with equal weights would get equal gradients and stay equal. Only existing weights are changed. The same
 * seed and corpus give the same values. Does nothing for a model without hidden states, or with the scorer hmm, whose
 * tables separate components.
 *
 * Call it once the model has its features and labels, before anything is learned. Cost O(all weights).
 */
export function startStates(model: Model): void {
  const { hidden, scorer } = model.spec;
  if (hidden === undefined || scorerHas(scorer, 'tables')) return;
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
