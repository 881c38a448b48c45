import { TagstreamError } from '../../core/errors.js';
import type { EncodedSentence } from '../../core/minibatch/encoded-sentence.js';
import { learnLexicon } from '../../features/context/learn-lexicon.js';
import { isSpanScheme } from '../../text/tags/tag-scheme.js';
import { observe } from '../labels/observe.js';
import type { Model } from '../model.js';
import { selectFeatures } from '../selection/select-features.js';
import { startStates } from '../start/start-states.js';

/**
 * Ends the growth of a model when its whole corpus has been encoded: the model is frozen and gets its
 * size. Features below a cutoff are dropped, for which all sentences are encoded once more; then those that say
 * too little about the label, where the specification asks for a selection. Labels that are words of a code get theirs,
 * hidden states their start.
 *
 * @throws TagstreamError `config` where features are to be pruned, and where there is no code for the labels
 */
export function settleCorpus(
  model: Model,
  collected: readonly EncodedSentence[],
): readonly EncodedSentence[] {
  if (model.spec.index.mode === 'exact' && model.spec.index.pruneEvery !== undefined) {
    throw new TagstreamError('config', 'features are pruned on a stream, not in several passes', {
      fix: 'leave pruneEvery out; sgd-l1 writes a small model all the same',
    });
  }
  // A resumed model has its features already, and weights.
  const isNew = !model.frozen;
  const selection =
    model.spec.index.mode === 'exact' && isNew ? model.spec.index.information : undefined;
  const { labels } = model;
  const corpus = encodeWithLexicon(model, collected);
  if (isNew) labels.codes?.choose(labels.size);
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
 * Lets a model know what its corpus says of words, where its templates ask for that (`%seen`), and encodes the sentences
 * once more, each with what the other parts of the corpus say. See `learnLexicon`.
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
