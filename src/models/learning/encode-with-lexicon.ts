import type { EncodedSentence } from '../../core/minibatch/encoded-sentence.js';
import { learnLexicon } from '../../features/context/learn-lexicon.js';
import { isSpanScheme } from '../../text/tags/tag-scheme.js';
import type { Model } from '../model.js';

/**
 * Lets a model know what its corpus says of words, where its templates ask for that (`%seen`), and encodes the sentences
 * once more, each with what the other parts of the corpus say. See `learnLexicon`.
 */
export function encodeWithLexicon(
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
