import { joinedLists } from '../core/arrays.js';
import { TagstreamError } from '../core/errors.js';
import { packMinibatch } from '../core/minibatch/pack-minibatch.js';
import { kinds, requireArgument, requireKnown } from '../core/schema/require-argument.js';
import type { Column, Constraints, Range } from '../core/sentence/document.js';
import type {
  Alternative,
  LabelMarginals,
  PairMarginals,
  Results,
  Sentence,
  Span,
} from '../core/sentence/sentence.js';
import { counted } from '../core/wording/numbers.js';
import type { TokenFunctions } from '../features/template/token-function.js';
import type { Kernel } from '../kernels/kernel.js';
import { type DividedText, dividerOf, type TextDivision } from '../text/divide-text.js';
import { spansOf } from '../text/tags/spans.js';
import { isSpanScheme } from '../text/tags/tag-scheme.js';
import type { BundledLayers } from './bundled-layers.js';
import { type DecodeOptions, decodeOptionNames } from './decoding/decode-options.js';
import { alternatives } from './decoding/decoded.js';
import { Decoder } from './decoding/decoder.js';
import {
  requireSentences,
  requireStrings,
  requireText,
  requireTokens,
} from './decoding/require-tokens.js';
import { StringDecoder } from './decoding/string-decoder.js';
import { requireRulesFor, type TagRule } from './decoding/tag-rules.js';
import { readTaggingModel } from './files/model-file.js';
import { explainSentence } from './inspection/explain.js';
import type { TokenExplanation } from './inspection/explanation.js';
import { encodeInOrder } from './learning/encode-in-order.js';
import type { Model } from './model.js';

/** The result of `Tagger.analyze` for one sentence. */
export interface Analysis {
  readonly tags: readonly string[];
  /**
   * Score of the tags: the sum of emission and transition scores, or the number of votes if weights vote; for tags
   * with hidden states, the log of the sum over all their state sequences.
   */
  readonly score: number;
  /** Probability of each chosen tag at its token, if requested. */
  readonly marginals?: readonly number[];
  /** Probabilities of all tags, with `marginals: 'all'`. */
  readonly labelMarginals?: LabelMarginals;
  /** Probabilities of neighbouring tag pairs, with `marginals: 'pairs'`. */
  readonly pairMarginals?: PairMarginals;
  /** Probability of the tags, p(tags | x), if requested. */
  readonly probability?: number;
  /** log p(tags | x), which does not underflow; present with the probability. */
  readonly logProbability?: number;
  /** Best sequences, best first, if requested. */
  readonly nbest?: readonly Alternative[];
  /** Labelled spans, for models whose tags mark spans; with probabilities if requested. */
  readonly spans?: readonly Span[];
  /** Results of a bundle's additional taggers, by column name. */
  readonly results?: Results;
}

/** Options of `Tagger.analyze`: the decoding method, and the results to return. */
export interface AnalyzeOptions extends Omit<DecodeOptions, 'constraints'> {
  /** Constraints on the tags, by token number. */
  readonly constraints?: Constraints | undefined;
  /** Links between two or more tokens, for graph models: `[[0, 7, 'same-word'], [0, 2, 5, 'triple'], ...]`. */
  readonly links?:
    | readonly (readonly [number, number, ...(number | string | undefined)[]])[]
    | undefined;
}

/** Options of a `Tagger`. */
export interface TaggerOptions {
  /** Rules for names and patterns. */
  readonly rules?: readonly TagRule[] | undefined;
}

/** Options of `Tagger.fromBytes`: those for reading the model file, and those of the tagger. */
export interface TaggerReadOptions extends TaggerOptions {
  /** Name of the file, for errors. */
  readonly source?: string | undefined;
  /** Kernel that replaces the default one. */
  readonly kernel?: Kernel | undefined;
  /** Plug-in token functions that the model's templates may name; see `tokenFunctionsOf`. */
  readonly functions?: TokenFunctions | undefined;
}

/** Options of `Tagger.tagText`: the decoding method, and limits. */
export interface TagTextOptions
  extends Pick<
    DecodeOptions,
    'decoding' | 'dictionary' | 'rules' | 'spanProbabilities' | 'transitions'
  > {
  /**
   * Maximum number of tokens of a sentence; a text may have 16 times this number. Longer ones are rejected
   * (`too-large`), as in sources. Default: no limit.
   */
  readonly maxTokens?: number | undefined;
}

const textOptionNames = [
  ...['decoding', 'dictionary', 'rules', 'spanProbabilities', 'transitions', 'maxTokens'],
];
const analyzeOptionNames = [...decodeOptionNames, 'links'];

/** A sentence to tag: its tokens, with additional columns if the model's templates use them. */
export type TaggerSentence =
  | readonly string[]
  | {
      readonly tokens: readonly string[];
      readonly columns?: Readonly<Record<string, Column>> | undefined;
    };

/** The result of `Tagger.tagText`; tokens are counted over the whole text. */
export interface TaggedText extends DividedText {
  readonly text: string;
  readonly tags: readonly string[];
  /** Labelled spans, for models whose tags mark spans. */
  readonly spans?: readonly FoundSpan[];
  /** Results of a bundle's additional taggers, by column name: one value per token. */
  readonly results?: Results;
}

/** A labelled span of a text. */
export interface FoundSpan extends Span {
  /** Start and end in UTF-16 units of the text; the end is exclusive. */
  readonly offsets: Range;
  readonly text: string;
}

/** Number of sentences decoded at a time. */
const atATime = 64;

/**
 * Tags single sentences, synchronously, without streams.
 *
 * @example
 * const model = createModel({ templates: 'U00:%x[0,0]' });
 * const learner = createLearner(model, { loss: perceptronLoss(), optimizer: perceptron(), corpusSize: 1 });
 * const sentence = { tokens: ['a', 'b'], tags: ['X', 'Y'], columns: {}, document: {}, part: { index: 0, count: 1, start: 0 } };
 * for (let i = 0; i < 3; i += 1) learner.apply(learner.contribute(packMinibatch([model.encode(sentence)])));
 * Tagger.fromBytes(writeModel(learner)).tag(['b', 'a']) // => ['Y', 'X']
 */
export class Tagger {
  readonly model: Model;
  readonly #decoder: Decoder;
  readonly #rules: readonly TagRule[] | undefined;
  #divide: ReturnType<typeof dividerOf> | undefined;

  /**
   * @param options rules for names and patterns
   * @throws TagstreamError `config` for invalid rules, or labels that the model does not have
   */
  constructor(model: Model, options: TaggerOptions = {}) {
    requireArgument('Tagger: the model', model, kinds.model);
    requireKnown('Tagger', options, ['rules']);
    this.model = model;
    this.#rules = options.rules;
    if (this.#rules !== undefined) requireRulesFor(model, this.#rules);
    this.#decoder = new Decoder(model.kernel, model);
  }

  /**
   * Returns a tagger for the bytes of a model file.
   *
   * @param options name of the file for errors, kernel that replaces the default one, plug-in token functions, rules
   * @throws TagstreamError `model-format`, `model-version`, `model-damaged`; `config` if a required plug-in is missing
   *   or the rules are invalid
   */
  static fromBytes(bytes: Uint8Array | ArrayBuffer, options: TaggerReadOptions = {}): Tagger {
    requireKnown('Tagger.fromBytes', options, ['source', 'kernel', 'functions', 'rules']);
    const { source, kernel, functions, ...more } = options;
    const whole = bytes instanceof Uint8Array ? bytes : new Uint8Array(bytes);
    return new Tagger(readTaggingModel(whole, source, kernel, functions), more);
  }

  get labels(): readonly string[] {
    return this.model.labels.tags;
  }

  /** Decoder without objects per token; undefined if rules need the sentences. */
  get #strings(): StringDecoder | undefined {
    return this.#rules === undefined ? StringDecoder.of(this.model) : undefined;
  }

  /**
   * Returns the best tag sequence of a sentence, one tag per token; the list is empty if there are no
   * tokens.
   *
   * @param columns further columns that the model's templates read, by name
   * @throws TagstreamError `wrong-shape`, `unknown-column`, `length-mismatch`, `not-a-number`, `numeric`
   */
  tag(tokens: readonly string[], columns: Readonly<Record<string, Column>> = {}): string[] {
    requireTokens(tokens);
    requireSameLength(tokens, columns);
    const tags = this.#strings?.decode([{ tokens, columns }]);
    return tags?.[0] ?? [...this.analyze(tokens, columns).tags];
  }

  /**
   * Returns the tags of many sentences, equal to those of `tag` but computed faster, because several sentences are
   * decoded at a time.
   *
   * @throws TagstreamError as `tag`
   * @example
   * const corpus = [{ tokens: ['a', 'b'], tags: ['X', 'Y'] }];
   * const { tagger } = await train({ corpus, features: { templates: 'U:%x[0,0]' } });
   * tagger.tagMany([['a'], { tokens: ['b', 'a'] }]) // => [['X'], ['Y', 'X']]
   */
  tagMany(sentences: Iterable<TaggerSentence>): string[][] {
    requireSentences(sentences);
    const given = Array.from(sentences, sentence =>
      isTokens(sentence)
        ? { tokens: sentence, columns: {} }
        : { tokens: sentence?.tokens ?? sentence, columns: sentence?.columns ?? {} },
    );
    for (const { tokens, columns } of given) {
      requireTokens(tokens);
      requireSameLength(tokens, columns);
    }
    const tags: string[][] = [];
    for (let from = 0; from < given.length; from += atATime) {
      const part = given.slice(from, from + atATime);
      const found = this.#strings?.decode(part);
      const all = found ?? part.map(({ tokens, columns }) => this.tag(tokens, columns));
      for (const each of all) tags.push(each);
    }
    return tags;
  }

  /**
   * Returns tokens, sentences, tags and spans of a text, as `tagstream tag` does. Uses the tokenizer with which the
   * model was trained.
   *
   * @param given decoding options, and the maximum number of tokens
   * @throws TagstreamError as `tag`; `too-large` for more tokens than `maxTokens` allows
   * @example
   * const corpus = [{ text: 'It rains.', tokens: ['It', 'rains', '.'], tags: ['PRON', 'VERB', 'PUNCT'] }];
   * const { tagger } = await train({ corpus, features: { templates: 'U:%x[0,0]' } });
   * const { tokens, offsets, tags } = tagger.tagText('It rains.');
   * [tokens[1], offsets[1], tags[1]] // => ['rains', [3, 8], 'VERB']
   */
  tagText(text: string, given: TagTextOptions = {}): TaggedText {
    requireText(text);
    requireKnown('tagText', given, textOptionNames);
    const { maxTokens, ...options } = { rules: this.#rules, ...given };
    this.#divide ??= dividerOf(
      this.model.spec.tokenize as TextDivision | undefined,
      this.model.tokenizer?.tokenizer,
    );
    const { tokens, offsets, sentences } = this.#divide(text, maxTokens);
    const divided = sentences.map(([start, end]) => tokens.slice(start, end));
    const { readsDocuments, readsPredictions } = this.model.extractor;
    const asksForMore = Object.values(options).some(value => value !== undefined);
    const bySentence: readonly DecodedPart[] =
      readsDocuments || readsPredictions || asksForMore
        ? this.#tagDocument(divided, { text, offsets }, options)
        : this.tagMany(divided).map(tags => ({ tags }));
    const { bundle } = this.model;
    const results = bundle?.resultsOf(
      divided.map(each => ({ tokens: each, columns: {} })),
      bySentence.map(({ tags }) => tags),
    );
    const marksSpans = isSpanScheme(this.model.scheme);
    const column = marksSpans ? undefined : bundle?.spanColumn;
    const inColumn = (s: number) =>
      column === undefined ? undefined : spansOf(results![s]![column]!);
    const spans =
      marksSpans || column !== undefined
        ? bySentence.flatMap(({ tags, spans: own }, s) =>
            (inColumn(s) ?? own ?? spansOf(tags)).map(({ start, end, ...span }): FoundSpan => {
              const first = sentences[s]![0];
              const from = offsets[first + start]![0];
              const to = offsets[first + end - 1]![1];
              const place = { start: first + start, end: first + end };
              const { label, ...more } = span;
              const own: Range = [from, to];
              return { label, ...place, offsets: own, ...more, text: text.slice(from, to) };
            }),
          )
        : undefined;
    const tags = bySentence.flatMap(sentence => sentence.tags);
    return {
      ...{ text, tokens, offsets, sentences, tags },
      ...(spans === undefined ? {} : { spans }),
      ...(results === undefined ? {} : { results: joinedResults(bundle!, results) }),
    };
  }

  /** Tags a document's sentences, each with the others as context, according to the options. */
  #tagDocument(
    sentences: readonly (readonly string[])[],
    { text, offsets }: { readonly text: string; readonly offsets: readonly Range[] },
    options: DecodeOptions,
  ): DecodedPart[] {
    const { length: count } = sentences;
    let start = 0;
    const parts = sentences.map((tokens, index): Sentence => {
      const part = { index, count, start };
      start += tokens.length;
      const own = offsets.slice(part.start, start);
      return { ...sentenceOf(tokens, {}), document: { text }, offsets: own, part };
    });
    const encoded = encodeInOrder(this.model, parts);
    this.model.reserve();
    return encoded.map(sentence => {
      const batch = packMinibatch([sentence]);
      const decoded = this.#decoder.decode(this.model.parameters, batch, options);
      const impossible = decoded.rejected?.get(0);
      if (impossible !== undefined) throw impossible;
      const tags = this.model.labels.tagsOf(decoded.labels);
      return decoded.spans === undefined ? { tags } : { tags, spans: decoded.spans[0]! };
    });
  }

  /**
   * Returns tags with their score and spans, and all further results that the options request.
   *
   * @param columns further columns that the model's templates read, by name
   * @param given results to return, decoding options, constraints and links
   * @throws TagstreamError as `tag`; `constraint` if no tags satisfy the constraints, `config` for options
   *   that `Decoder.decode` rejects
   */
  analyze(
    tokens: readonly string[],
    columns: Readonly<Record<string, Column>> = {},
    given: AnalyzeOptions = {},
  ): Analysis {
    requireStrings(tokens);
    requireKnown('analyze', given, analyzeOptionNames);
    const { constraints, links, ...options } = { rules: this.#rules, ...given };
    requireSameLength(tokens, columns);
    const sentence = sentenceOf(tokens, columns, constraints, links);
    const batch = packMinibatch([this.model.encodeKnown(sentence)]);
    this.model.reserve();
    const decoded = this.#decoder.decode(this.model.parameters, batch, options);
    const impossible = decoded.rejected?.get(0);
    if (impossible !== undefined) throw impossible;
    const { reported: names } = this.model.labels;
    const tags = this.model.labels.tagsOf(decoded.labels);
    const { marginals, labelMarginals, pairMarginals, nbest } = decoded;
    const { probabilities, logProbabilities } = decoded;
    const spans =
      decoded.spans?.[0] ?? (isSpanScheme(this.model.scheme) ? spansOf(tags) : undefined);
    return {
      tags,
      score: decoded.scores[0]!,
      ...(marginals === undefined ? {} : { marginals: Array.from(marginals) }),
      ...(labelMarginals === undefined ? {} : { labelMarginals }),
      ...(pairMarginals === undefined ? {} : { pairMarginals: pairMarginals[0]! }),
      ...(probabilities === undefined
        ? {}
        : { probability: probabilities[0]!, logProbability: logProbabilities![0]! }),
      ...(nbest === undefined ? {} : { nbest: alternatives(nbest[0]!, names) }),
      ...(this.model.bundle === undefined
        ? {}
        : { results: this.model.bundle.resultsOf([{ tokens, columns }], [tags])[0]! }),
      ...(spans === undefined ? {} : { spans }),
    };
  }

  /**
   * Explains each token's tag: its probability, the runner-up, and the features and transitions for and against it,
   * whose amounts sum to the score difference. See `explainSentence`.
   *
   * @param columns further columns that the model's templates read, by name
   * @throws TagstreamError as `tag`
   */
  explain(
    tokens: readonly string[],
    columns: Readonly<Record<string, Column>> = {},
  ): TokenExplanation[] {
    requireStrings(tokens);
    if (tokens.length === 0) return [];
    requireSameLength(tokens, columns);
    return explainSentence(this.model, sentenceOf(tokens, columns), { rules: this.#rules });
  }
}

/** Concatenates the results of all sentences of a text. */
function joinedResults({ stored }: BundledLayers, results: readonly Results[]): Results {
  const joined = Object.create(null) as Record<string, readonly string[]>;
  for (const { column } of stored.layers) {
    joined[column] = joinedLists(results.map(sentence => sentence[column]!));
  }
  return joined;
}

/** The result for one sentence of a text. */
interface DecodedPart {
  readonly tags: readonly string[];
  readonly spans?: readonly Span[];
}

function isTokens(sentence: TaggerSentence): sentence is readonly string[] {
  return Array.isArray(sentence);
}

function requireSameLength(
  tokens: readonly string[],
  columns: Readonly<Record<string, Column>>,
): void {
  for (const name of Object.keys(columns)) {
    const column = columns[name]!;
    if (column.length === tokens.length) continue;
    throw new TagstreamError(
      'length-mismatch',
      `${counted(tokens.length, 'token')} but ${counted(column.length, 'value')} in column "${name}"`,
      { fix: 'give one value per token' },
    );
  }
}

function sentenceOf(
  tokens: readonly string[],
  columns: Readonly<Record<string, Column>>,
  constraints?: Constraints,
  links?: AnalyzeOptions['links'],
): Sentence {
  return {
    tokens,
    columns,
    ...(constraints === undefined ? {} : { constraints }),
    document: links === undefined ? {} : { links },
    part: { index: 0, count: 1, start: 0 },
  };
}
