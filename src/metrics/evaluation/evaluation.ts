import { TagstreamError } from '../../core/errors.js';
import { requireKnown } from '../../core/schema/require-known.js';
import type { TaggedSentence } from '../../core/sentence/sentence.js';
import type { Scores } from '../../core/training/training-step.js';
import { TaggingScores } from '../scores/tagging-scores.js';
import { Calibration, type CalibrationSummary } from './calibration.js';
import { Confusion } from './confusion.js';
import type { EvaluationReport } from './evaluation-report.js';
import { type SentenceCounts, sentenceCounts } from './sentence-counts.js';
import { addSpanProbabilities } from './span-reliability.js';
import { UnseenWords } from './unseen-words.js';

/** A tagged sentence with its gold tags. */
export type ScoredSentence = Pick<
  TaggedSentence,
  'tokens' | 'tags' | 'gold' | 'marginals' | 'spans'
>;

/** The options of an evaluation. */
export interface EvaluationOptions {
  /** Whether the tags mark spans (see `isSpanScheme`). */
  readonly spanScheme: boolean;
  /** Words of the training data, for the accuracy on all others. */
  readonly vocabulary?: ReadonlySet<string> | undefined;
  /** Sentences with errors that are kept, the first ones; none if absent. */
  readonly errors?: number | undefined;
  /** Bins of the calibration; 15 if absent. */
  readonly bins?: number | undefined;
}

/**
 * All scores of a tagger on labelled sentences, counted sentence by sentence. Memory is
 * five numbers per sentence, beside the counts by label and the sentences with errors that are to be kept.
 *
 * @example
 * const evaluation = new Evaluation({ spanScheme: false, vocabulary: new Set(['a']) });
 * evaluation.add({ tokens: ['a', 'b'], gold: ['X', 'Y'], tags: ['X', 'X'], marginals: [0.9, 0.6] });
 * const { accuracy, confusions, words } = evaluation.report();
 * [accuracy, confusions[0], words.unseen.accuracy] // => [50, { gold: 'Y', predicted: 'X', count: 1 }, 0]
 */
export class Evaluation {
  readonly spanScheme: boolean;
  readonly confusion = new Confusion();
  /** Counts of each sentence, in order. */
  readonly counts: SentenceCounts[] = [];
  /** The first sentences with errors. */
  readonly errors: ScoredSentence[] = [];
  readonly #tagging: TaggingScores;
  readonly #tokens: Calibration;
  readonly #spans: Calibration;
  readonly #words: UnseenWords | undefined;
  readonly #keptErrors: number;
  #errorSentences = 0;
  #skipped = 0;

  /** @throws TagstreamError `config` for a wrong number of bins */
  constructor(options: EvaluationOptions) {
    requireKnown('Evaluation', options, ['spanScheme', 'vocabulary', 'errors', 'bins']);
    const { spanScheme, vocabulary, errors = 0, bins } = options;
    this.spanScheme = spanScheme;
    this.#tagging = new TaggingScores(spanScheme);
    this.#tokens = new Calibration(bins);
    this.#spans = new Calibration(bins);
    this.#words = vocabulary === undefined ? undefined : new UnseenWords(vocabulary);
    this.#keptErrors = errors;
  }

  /**
   * Counts one sentence.
   *
   * @throws TagstreamError `length-mismatch`, and `wrong-shape` for a sentence without gold tags; nothing
   *   is counted then
   */
  add(sentence: ScoredSentence): void {
    const { tokens, tags, gold, marginals, spans } = sentence;
    if (gold === undefined) {
      throw new TagstreamError('wrong-shape', 'cannot score a sentence without gold tags', {
        fix: 'score labelled sentences only',
      });
    }
    const counts = sentenceCounts(gold, tags, this.spanScheme);
    this.#words?.add(tokens, gold, tags);
    this.counts.push(counts);
    this.#tagging.add(gold, tags);
    this.confusion.add(gold, tags);
    for (const [t, probability] of marginals?.entries() ?? []) {
      this.#tokens.add(probability, gold[t] === tags[t]);
    }
    if (spans !== undefined) addSpanProbabilities(this.#spans, gold, spans);
    if (counts.equal === counts.tokens) return;
    this.#errorSentences += 1;
    if (this.errors.length < this.#keptErrors) this.errors.push(sentence);
  }

  /** Counts a sentence that cannot be scored, as not every token has one gold tag. */
  skip(): void {
    this.#skipped += 1;
  }

  /** Sentences with errors, kept or not. */
  get errorSentences(): number {
    return this.#errorSentences;
  }

  scores(): Scores {
    return { ...this.#tagging.scores(), skipped: this.#skipped };
  }

  report(): EvaluationReport {
    const { spans } = this.#tagging;
    const calibration = calibrationOf(this.#tokens.summary(), this.#spans.summary());
    const labelled = (labels: readonly string[], of: SpansOrTokens) =>
      labels.map(label => ({ label, ...of.of(label) }));
    return {
      ...this.scores(),
      ...(spans === undefined
        ? {}
        : { spans: { total: spans.total, labels: labelled(spans.labels, spans) } }),
      labels: labelled(this.confusion.labels, this.confusion),
      confusions: this.confusion.errors(),
      ...(calibration === undefined ? {} : { calibration }),
      ...(this.#words === undefined
        ? {}
        : { words: { unseen: this.#words.unseen, seen: this.#words.seen } }),
    };
  }
}

type SpansOrTokens = Pick<Confusion, 'of'>;

/** Of what there were probabilities of. */
function calibrationOf(
  tokens: CalibrationSummary,
  spans: CalibrationSummary,
): EvaluationReport['calibration'] {
  if (tokens.count === 0 && spans.count === 0) return undefined;
  return {
    ...(tokens.count === 0 ? {} : { tokens }),
    ...(spans.count === 0 ? {} : { spans }),
  };
}
