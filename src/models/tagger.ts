import type { Column } from '../core/document.js';
import { TagstreamError } from '../core/errors.js';
import { packMinibatch } from '../core/pack-minibatch.js';
import type { Sentence } from '../core/sentence.js';
import type { Span } from '../core/span.js';
import { spansOf } from '../text/spans.js';
import { isSpanScheme } from '../text/tag-scheme.js';
import { type DecodeOptions, Decoder } from './decoder.js';
import { explainSentence, type TokenExplanation } from './explain.js';
import type { Model } from './model.js';
import { readModel } from './model-file.js';

/** What `Tagger.analyze` says of a sentence. */
export interface Analysis {
  readonly tags: readonly string[];
  /** Score of the tags: sum of emission and transition scores. */
  readonly score: number;
  /** Probability of each chosen tag at its token, where asked for. */
  readonly marginals?: readonly number[];
  /** Labelled spans, for models whose tags mark spans. */
  readonly spans?: readonly Span[];
}

/**
 * Tags single sentences, synchronously, without streams.
 *
 * @example
 * const model = createModel({ templates: 'U00:%x[0,0]' });
 * const learner = createLearner(model, { loss: perceptronLoss, optimizer: perceptron, corpusSize: 1 });
 * const sentence = { tokens: ['a', 'b'], tags: ['X', 'Y'], columns: {}, document: {}, part: { index: 0, count: 1, start: 0 } };
 * for (let i = 0; i < 3; i += 1) learner.apply(learner.contribute(packMinibatch([model.encode(sentence)])));
 * Tagger.fromBytes(writeModel(learner)).tag(['b', 'a']) // => ['Y', 'X']
 */
export class Tagger {
  readonly model: Model;
  readonly #decoder: Decoder;

  constructor(model: Model) {
    this.model = model;
    this.#decoder = new Decoder(model.kernel);
  }

  /** @throws TagstreamError `model-format`, `model-version`, `model-damaged` */
  static fromBytes(bytes: Uint8Array, source?: string): Tagger {
    return new Tagger(readModel(bytes, source));
  }

  get labels(): readonly string[] {
    return this.model.labels.names;
  }

  /**
   * The best tag of each token; an empty list for no tokens.
   *
   * @param columns further columns that the model's templates ask for, by name
   * @throws TagstreamError `unknown-column`, `length-mismatch`, `not-a-number`
   */
  tag(tokens: readonly string[], columns: Readonly<Record<string, Column>> = {}): string[] {
    return [...this.analyze(tokens, columns).tags];
  }

  /** Tags with their score, spans and, with `marginals`, their probabilities. */
  analyze(
    tokens: readonly string[],
    columns: Readonly<Record<string, Column>> = {},
    options: DecodeOptions = {},
  ): Analysis {
    if (tokens.length === 0) return { tags: [], score: 0 };
    requireSameLength(tokens, columns);
    const batch = packMinibatch([this.model.encodeKnown(sentenceOf(tokens, columns))]);
    this.model.reserve();
    const decoded = this.#decoder.decode(this.model.parameters, batch, options);
    const tags = Array.from(decoded.labels, label => this.model.labels.name(label));
    return {
      tags,
      score: decoded.scores[0]!,
      ...(decoded.marginals === undefined ? {} : { marginals: Array.from(decoded.marginals) }),
      ...(isSpanScheme(this.model.scheme) ? { spans: spansOf(tags) } : {}),
    };
  }

  /**
   * Why each token gets its tag: its probability, the runner-up, and the features and transitions that
   * speak for and against it, whose amounts sum to the difference in score. See `explainSentence`.
   *
   * @throws TagstreamError as `tag`
   */
  explain(
    tokens: readonly string[],
    columns: Readonly<Record<string, Column>> = {},
  ): TokenExplanation[] {
    if (tokens.length === 0) return [];
    requireSameLength(tokens, columns);
    return explainSentence(this.model, sentenceOf(tokens, columns));
  }
}

function requireSameLength(
  tokens: readonly string[],
  columns: Readonly<Record<string, Column>>,
): void {
  for (const [name, column] of Object.entries(columns)) {
    if (column.length === tokens.length) continue;
    throw new TagstreamError(
      'length-mismatch',
      `${tokens.length} tokens but ${column.length} values in column "${name}"`,
      { fix: 'give one value for each token' },
    );
  }
}

function sentenceOf(
  tokens: readonly string[],
  columns: Readonly<Record<string, Column>>,
): Sentence {
  return { tokens, columns, document: {}, part: { index: 0, count: 1, start: 0 } };
}
