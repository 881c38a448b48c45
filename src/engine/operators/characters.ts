import { concatMap, from, type OperatorFunction, pipe } from 'rxjs';
import { shareDelivery } from '../core/delivery/delivery.js';
import { type Document, requireDocument } from '../core/sentence/document.js';
import type { Sentence } from '../core/sentence/sentence.js';
import { requireTokenizer } from '../models/text/learned-tokenizer.js';
import type { BundledTokenizer } from '../text/tokenizers/bundled-tokenizer.js';
import { attempt } from './attempt.js';

/**
 * Returns an operator that turns documents into sentences of characters, with the columns that the character model
 * (`tokenizer.model`) reads: for a learned tokenizer, only the characters that it cannot decide without its model; for
 * a character tagger, all characters. The model labels them, and `segments()` turns the labels into words and
 * sentences:
 *
 *     characters(tokenizer) -> featurize(tokenizer.model) -> batch() -> tag(tokenizer.model) -> segments()
 *
 * does what `tokenize` does with the tokenizer, step by step.
 *
 * @param tokenizer the tokenizer of a model file: `tagger.model.tokenizer`
 * @throws TagstreamError `config` if there is no tokenizer
 */
export function characters(
  tokenizer: BundledTokenizer | undefined,
): OperatorFunction<Document, Sentence> {
  const learned = requireTokenizer(tokenizer, 'characters: the model');
  return pipe(
    attempt((document: Document) => {
      requireDocument(document);
      const sentences = learned.characters(document);
      const delivery = shareDelivery(document.delivery, sentences.length);
      return delivery === undefined
        ? sentences
        : sentences.map(sentence => ({ ...sentence, delivery }));
    }),
    concatMap(sentences => from(sentences)),
  );
}
