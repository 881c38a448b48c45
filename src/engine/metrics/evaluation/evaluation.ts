import { TagstreamError } from '../../core/errors.js';
import { requireKnown } from '../../core/schema/require-argument.js';
import type { Span, TaggedSentence } from '../../core/sentence/sentence.js';
import type { Scores } from '../../core/training/training-step.js';
import { spansOf } from '../../text/tags/spans.js';
import type { TagScheme } from '../../text/tags/tag-scheme.js';
import { assertSameLength, type MatchScores } from '../scores/match-counts.js';
import { isConverted, TaggingScores } from '../scores/tagging-scores.js';
import { Calibration, type CalibrationSummary } from './calibration.js';
import { Confusion, type ConfusionCell } from './confusion.js';
import { type BootstrapResult, type SentenceCounts, sentenceCounts } from './paired-bootstrap.js';
import { RankLoss } from './rank-loss.js';
import { UnseenWords, type WordAccuracy } from './unseen-words.js';

/** A tagged sentence with its gold tags. */
export type ScoredSentence = Pick<
  TaggedSentence,
  'tokens' | 'tags' | 'gold' | 'marginals' | 'spans' | 'nbest'
>;

/** The options of an evaluation. */
export interface EvaluationOptions {
  /** Whether the tags mark spans (see `isSpanScheme`). */
  readonly spanScheme: boolean;
  /** Scheme of the predicted tags; detected if absent. Gold tags of another scheme are compared in BIO. */
  readonly scheme?: TagScheme | undefined;
  /** Words of the training data, from which accuracy on all other words is computed. */
  readonly vocabulary?: ReadonlySet<string> | undefined;
  /** Maximum number of erroneous sentences to keep, starting with the first; default 0. */
  readonly errors?: number | undefined;
  /** Number of calibration bins; default 15. */
  readonly bins?: number | undefined;
  /**
   * N for the ranks of the gold tags, if sentences come with their N best sequences. No ranks if absent.
   */
  readonly rank?: number | undefined;
}

/** Token counts by tag. */
class TokenTally {
  readonly confusion = new Confusion();
  readonly counts: SentenceCounts[] = [];
  readonly errors: ScoredSentence[] = [];
  readonly calibration: Calibration;
  readonly words: UnseenWords | undefined;
  errorSentences = 0;

  constructor({ vocabulary, bins }: EvaluationOptions) {
    this.calibration = new Calibration(bins);
    this.words = vocabulary === undefined ? undefined : new UnseenWords(vocabulary);
  }

  add(sentence: ScoredSentence, spanScheme: boolean, keptErrors: number): void {
    const { tokens, tags, marginals } = sentence;
    const gold = sentence.gold!;
    const counts = sentenceCounts(gold, tags, spanScheme);
    this.words?.add(tokens, gold, tags);
    this.counts.push(counts);
    this.confusion.add(gold, tags);
    for (const [t, probability] of marginals?.entries() ?? []) {
      this.calibration.add(probability, gold[t] === tags[t]);
    }
    if (counts.equal === counts.tokens) return;
    this.errorSentences += 1;
    if (this.errors.length < keptErrors) this.errors.push(sentence);
  }
}

/**
 * All scores of a tagger on labelled sentences, counted sentence by sentence. Memory: ten numbers per
 * sentence, plus counts by label and the kept sentences with errors. If gold and predicted tags use
 * different schemes, everything except spans is computed after conversion to BIO.
 *
 * @example
 * const evaluation = new Evaluation({ spanScheme: false, vocabulary: new Set(['a']) });
 * evaluation.add({ tokens: ['a', 'b'], gold: ['X', 'Y'], tags: ['X', 'X'], marginals: [0.9, 0.6] });
 * const { accuracy, confusions, words } = evaluation.report();
 * [accuracy, confusions[0], words.unseen.accuracy] // => [50, { gold: 'Y', predicted: 'X', count: 1 }, 0]
 */
export class Evaluation {
  readonly spanScheme: boolean;
  readonly #tagging: TaggingScores;
  readonly #spans: Calibration;
  /** Token counts for the original tags, and for both in BIO if tags mark spans. */
  readonly #own: TokenTally;
  readonly #inBio: TokenTally | undefined;
  readonly #keptErrors: number;
  readonly #ranks: RankLoss | undefined;
  #skipped = 0;

  /** @throws TagstreamError `config` if the number of bins or of best sequences is invalid */
  constructor(options: EvaluationOptions) {
    requireKnown('Evaluation', options, [
      ...['spanScheme', 'scheme', 'vocabulary', 'errors', 'bins', 'rank'],
    ]);
    const { spanScheme, scheme, errors = 0, bins, rank } = options;
    this.spanScheme = spanScheme;
    this.#tagging = new TaggingScores(spanScheme, scheme);
    this.#spans = new Calibration(bins);
    this.#own = new TokenTally(options);
    this.#inBio = spanScheme ? new TokenTally(options) : undefined;
    this.#keptErrors = errors;
    this.#ranks = rank === undefined ? undefined : new RankLoss(rank, spanScheme);
  }

  /**
   * Counts one sentence.
   *
   * @throws TagstreamError `length-mismatch`, or `wrong-shape` for a sentence without gold tags;
   * nothing is counted in either case
   */
  add(sentence: ScoredSentence): void {
    const { tags, gold, spans, nbest } = sentence;
    if (gold === undefined) {
      throw new TagstreamError('wrong-shape', 'cannot score a sentence without gold tags', {
        fix: 'score labelled sentences only',
      });
    }
    assertSameLength(gold, tags);
    this.#ranks?.add(gold, nbest);
    this.#own.add(sentence, this.spanScheme, this.#keptErrors);
    const inBio = this.#tagging.add(gold, tags);
    const converted = { ...sentence, gold: inBio.gold, tags: inBio.predicted };
    this.#inBio?.add(converted, true, this.#keptErrors);
    if (spans !== undefined) addSpanProbabilities(this.#spans, gold, spans);
  }

  /**
   * Counts a sentence that cannot be scored because some token does not have exactly one gold tag.
   */
  skip(): void {
    this.#skipped += 1;
  }

  /** Counts of gold and predicted tag pairs. */
  get confusion(): Confusion {
    return this.#tally.confusion;
  }

  /** Counts for each sentence, in order. */
  get counts(): readonly SentenceCounts[] {
    return this.#tally.counts;
  }

  /** First sentences with errors. */
  get errors(): readonly ScoredSentence[] {
    return this.#tally.errors;
  }

  /** Number of sentences with errors, whether kept or not. */
  get errorSentences(): number {
    return this.#tally.errorSentences;
  }

  scores(): Scores {
    const rank = this.#ranks?.summary(isConverted(this.#tagging.schemes));
    return { ...this.#tagging.scores(), skipped: this.#skipped, ...(rank && { rank }) };
  }

  report(): EvaluationReport {
    const { spans } = this.#tagging;
    const { calibration: tokens, confusion, words } = this.#tally;
    const calibration = calibrationOf(tokens.summary(), this.#spans.summary());
    const labelled = (labels: readonly string[], of: SpansOrTokens) =>
      labels.map(label => ({ label, ...of.of(label) }));
    return {
      ...this.scores(),
      ...(spans === undefined
        ? {}
        : { spans: { total: spans.total, labels: labelled(spans.labels, spans) } }),
      labels: labelled(confusion.labels, confusion),
      confusions: confusion.errors(),
      ...(calibration === undefined ? {} : { calibration }),
      ...(words === undefined ? {} : { words: { unseen: words.unseen, seen: words.seen } }),
    };
  }

  get #tally(): TokenTally {
    const { schemes } = this.#tagging;
    return this.#inBio !== undefined && isConverted(schemes) ? this.#inBio : this.#own;
  }
}

type SpansOrTokens = Pick<Confusion, 'of'>;

/** Computes the calibration of predictions with probabilities. */
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

/**
 * Counts those predicted spans of one sentence that have a probability; a span is correct if the gold
 * tags mark the same range with the same label. Costs one pass over both lists.
 *
 * @example
 * const calibration = new Calibration(1);
 * addSpanProbabilities(calibration, ['B-X', 'O'], [{ label: 'X', start: 0, end: 1, probability: 0.8 }]);
 * calibration.summary().bins[0] // => { from: 0, to: 1, count: 1, confidence: 0.8, accuracy: 1 }
 */
export function addSpanProbabilities(
  calibration: Calibration,
  gold: readonly string[],
  predicted: readonly Span[],
): void {
  const goldSpans = new Map(spansOf(gold).map(span => [span.start, span]));
  for (const { label, start, end, probability } of predicted) {
    if (probability === undefined) continue;
    const match = goldSpans.get(start);
    calibration.add(probability, match !== undefined && match.end === end && match.label === label);
  }
}

/** Counts and percentages of one label. */
export interface LabelScores extends MatchScores {
  readonly label: string;
}

/** All results of an evaluation; plain data. */
export interface EvaluationReport extends Scores {
  /** Spans, overall and by label, counted as by conlleval; only for span schemes. */
  readonly spans?: { readonly total: MatchScores; readonly labels: readonly LabelScores[] };
  /** Token counts by tag. */
  readonly labels: readonly LabelScores[];
  /** Pairs of a gold tag and a wrong prediction, most frequent first. */
  readonly confusions: readonly ConfusionCell[];
  /** Present if probabilities were requested. */
  readonly calibration?: {
    readonly tokens?: CalibrationSummary;
    readonly spans?: CalibrationSummary;
  };
  /** Present if the training data's words are known. */
  readonly words?: { readonly unseen: WordAccuracy; readonly seen: WordAccuracy };
  /** Present if a second model was evaluated. */
  readonly comparison?: ModelComparison;
}

/** A comparison of this model with another model on the same sentences. */
export interface ModelComparison extends BootstrapResult {
  /** Name of the other model. */
  readonly against: string;
  /** The other model's scores. */
  readonly scores: Scores;
}
