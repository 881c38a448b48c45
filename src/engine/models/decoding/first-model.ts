import { packMinibatch } from '../../core/minibatch/pack-minibatch.js';
import type { Sentence } from '../../core/sentence/sentence.js';
import { DocumentMajorities } from '../../features/context/document-majorities.js';
import { inDocuments } from '../../features/context/document-memory.js';
import type { ContextWindow, Predictions } from '../../features/context/predictions.js';
import { isSpanScheme } from '../../text/tags/tag-scheme.js';
import type { Model } from '../model.js';
import { Decoder } from './decoder.js';

/** Tags of training sentences, by position in the corpus, from a model that was not trained on them. */
export type KnownTags = ReadonlyMap<string, readonly string[]>;

/** Returns the key of a sentence's position among all inputs; undefined if it has no position. */
export function placeOfSentence({ delivery, part }: Sentence): string | undefined {
  if (delivery === undefined) return undefined;
  const { source, start } = delivery.position;
  return `${source}\n${start}\n${part.index}`;
}

/**
 * The first of two stacked models: it tags each sentence, and the second model uses these tags and those of the same
 * words elsewhere in the document (`DocumentMajorities`).
 *
 * The first model's tags for its own training sentences are too good. So the second model is trained on the `known`
 * tags, predicted by models that were trained on the other parts of the corpus (jack-knifing).
 */
export class FirstModel implements Predictions {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly model: Model;
  readonly #decoder: Decoder;
  readonly #known: KnownTags;

  /**
   * @param model a frozen model
   * @param bytes its model file
   * @param known tags of its training sentences, keyed by `placeOfSentence`
   */
  constructor(model: Model, bytes: Uint8Array<ArrayBuffer>, known: KnownTags = new Map()) {
    this.model = model;
    this.bytes = bytes;
    this.#decoder = new Decoder(model.kernel, model);
    this.#known = known;
  }

  alone(sentence: Sentence): Sentence {
    const majorities = new DocumentMajorities(isSpanScheme(this.model.scheme), 0);
    return majorities.push(sentence, this.tagsOf(sentence))[0]!;
  }

  inOrder(): ContextWindow {
    const place = inDocuments(this.model.extractor.readsDocuments);
    const majorities = new DocumentMajorities(isSpanScheme(this.model.scheme));
    return {
      get pending() {
        return majorities.pending;
      },
      push: sentence => majorities.push(sentence, this.tagsOf(place(sentence))),
      flush: () => majorities.flush(),
    };
  }

  /** Adds the context that the first model uses to sentences in document order. */
  inDocuments(sentences: readonly Sentence[]): Sentence[] {
    return sentences.map(inDocuments(this.model.extractor.readsDocuments));
  }

  /**
   * Returns the tags of a sentence in its context.
   *
   * @throws TagstreamError as `Model.encodeKnown`
   */
  tagsOf(sentence: Sentence): readonly string[] {
    const place = placeOfSentence(sentence);
    const known = place === undefined ? undefined : this.#known.get(place);
    if (known !== undefined) return known;
    const { model } = this;
    const batch = packMinibatch([model.encodeKnown(sentence)]);
    model.reserve();
    const { labels } = this.#decoder.decode(model.parameters, batch, { constraints: false });
    return model.labels.tagsOf(labels);
  }
}
