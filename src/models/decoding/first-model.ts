import { packMinibatch } from '../../core/minibatch/pack-minibatch.js';
import type { Sentence } from '../../core/sentence/sentence.js';
import { DocumentMajorities } from '../../features/context/document-majorities.js';
import { inDocuments } from '../../features/context/document-memory.js';
import type { ContextWindow, Predictions } from '../../features/context/predictions.js';
import { isSpanScheme } from '../../text/tags/tag-scheme.js';
import type { Model } from '../model.js';
import { Decoder } from './decoder.js';

/** Maps the position of a sentence in a training corpus to its tags by a model that was not trained on it. */
export type KnownTags = ReadonlyMap<string, readonly string[]>;

/** Returns the place of a sentence among those of all inputs; undefined for one of no input. */
export function placeOfSentence({ delivery, part }: Sentence): string | undefined {
  if (delivery === undefined) return undefined;
  const { source, start } = delivery.position;
  return `${source}\n${start}\n${part.index}`;
}

/**
 * The first of two stacked models: it tags each sentence, and the second one looks at its tags, and at those that it gave to
 * the same words elsewhere in the document (`DocumentMajorities`).
 *
 * Of the sentences that it was trained on its tags say too much. So a second model is trained on those of models that
 * were trained on the other parts of the corpus (jack-knifing): the tags that are `known`.
 */
export class FirstModel implements Predictions {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly model: Model;
  readonly #decoder: Decoder;
  readonly #known: KnownTags;

  /**
   * @param model frozen
   * @param bytes its model file
   * @param known tags of sentences that it was trained on, by `placeOfSentence`
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

  /** Sentences in their order, with the context that the first model looks at. */
  inDocuments(sentences: readonly Sentence[]): Sentence[] {
    return sentences.map(inDocuments(this.model.extractor.readsDocuments));
  }

  /**
   * The tags of a sentence that has the context which the model looks at.
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
