import { concatMap, type OperatorFunction } from 'rxjs';
import { TagstreamError } from '../core/errors.js';
import type { EncodedSentence } from '../core/minibatch/encoded-sentence.js';
import type { Minibatch } from '../core/minibatch/minibatch.js';
import {
  kinds,
  requireArgument,
  requireItem,
  requireKnown,
} from '../core/schema/require-argument.js';
import type { TaggedSentence } from '../core/sentence/sentence.js';
import { noLabel } from '../core/training/contribution.js';
import type { TrainingStep } from '../core/training/training-step.js';
import type { BundledLayers } from '../models/bundled-layers.js';
import {
  asksForMore,
  confidenceIn,
  type DecodeOptions,
  decodeOptionNames,
} from '../models/decoding/decode-options.js';
import { alternatives, type Decoded } from '../models/decoding/decoded.js';
import { Decoder } from '../models/decoding/decoder.js';
import type { Model } from '../models/model.js';

/** The options of `tag`. */
export interface TagOptions extends DecodeOptions {
  /**
   * Column for the tags, which the templates of later taggers read: `featurize` and `tag` may follow again. The first
   * tagger's tags remain the tags; those of a later tagger are results in its column. An untagged sentence has `_` there.
   */
  readonly into?: string | undefined;
}

/**
 * Returns an operator that turns minibatches into tagged sentences, in order.
 *
 * It rejects a sentence if no label sequence satisfies its constraints (`constraint`), and all sentences while the
 * model has no labels (`unknown-label`).
 *
 * In a training pipeline it takes training steps, and emits sentences with the labels that were predicted before
 * learning from them. Sentences that came before the model knew a label pass untagged: see `TaggedSentence.untagged`. This needs `contribute` with `predict: true` and the same `marginals` and `probability`, because
 * probabilities come from the weights that predicted. Constraints are not applied there.
 *
 * @param model the tagging model
 * @param given the results to add, how to decode, and the column for the tags
 * @throws TagstreamError `config` for an unknown option; the stream fails with `config` for a dictionary with no tag of
 *   the model, for steps without predictions, and for options that steps do not support, such as `nbest`; and for a
 *   column that another tagger of the sentence uses
 */
export function tag(
  model: Model,
  given: TagOptions = {},
): OperatorFunction<Minibatch | TrainingStep, TaggedSentence> {
  requireArgument('tag: the model', model, kinds.model);
  requireKnown('tag', given, [...decodeOptionNames, 'into']);
  const { into, ...options } = given;
  if (into !== undefined) requireArgument('tag.into', into, kinds.text);
  const decoder = new Decoder(model.kernel, model);
  return concatMap(item => {
    requireItem('tag', item, kinds.minibatch, kinds.step);
    const batch = minibatchOf(item);
    const joins = into !== undefined || batch.sentences.some(({ sentence }) => sentence.tagged);
    if ('contribution' in item) {
      const predicted = predictedSentences(model, item, options);
      return joins ? joinedTo(batch, predicted, into) : predicted;
    }
    if (model.labels.size === 0) return rejected(batch);
    model.reserve();
    const tagged = taggedSentences(model, item, decoder.decode(model.parameters, item, options));
    const whole = model.bundle === undefined ? tagged : withResults(model.bundle, tagged);
    return joins ? joinedTo(batch, whole, into) : whole;
  });
}

/** Adds the results of earlier taggers to sentences; their tags are kept unless this tagger has no column. */
function joinedTo(
  { sentences }: Minibatch,
  tagged: readonly TaggedSentence[],
  into: string | undefined,
): TaggedSentence[] {
  // Some sentences were rejected; the others are in the same order.
  let next = 0;
  return tagged.map(own => {
    const isIts = ({ sentence: { document, part } }: EncodedSentence) =>
      document === own.document && part === own.part;
    while (!isIts(sentences[next]!)) next += 1;
    const { sentence } = sentences[next]!;
    next += 1;
    const before = sentence.tagged;
    const known = before && { [before.into!.column]: columnOf(before), ...before.results };
    const results = { ...own.results, ...(into === undefined ? {} : { [into]: columnOf(own) }) };
    const twice = Object.keys(results).find(column => Object.hasOwn(known ?? {}, column));
    if (twice !== undefined) throw takenColumn(twice);
    const columns = { ...own.columns, ...results };
    if (into === undefined) return { ...own, results: { ...known, ...results } };
    if (before === undefined) return { ...own, columns, into: { column: into, sentence } };
    return { ...before, columns, results: { ...before.results, ...results } };
  });
}

/** Returns the tags of a sentence as a column, `_` at each token of one that is untagged. */
function columnOf({ tokens, tags, untagged }: TaggedSentence): readonly string[] {
  return untagged === true ? tokens.map(() => '_') : tags;
}

function takenColumn(column: string): TagstreamError {
  return new TagstreamError('config', `two taggers have their tags in the column "${column}"`, {
    fix: 'give each a column of its own: tag(model, { into })',
  });
}

function minibatchOf(item: Minibatch | TrainingStep): Minibatch {
  return 'contribution' in item ? item.contribution.minibatch : item;
}

/** Rejects sentences that arrive before anything has been learned. */
function rejected({ sentences }: Minibatch): TaggedSentence[] {
  for (const { sentence } of sentences) {
    const error = new TagstreamError('unknown-label', 'the model has no labels yet', {
      fix: 'send labelled records first, or start from a trained model',
    });
    if (sentence.delivery === undefined) throw error;
    sentence.delivery.reject(error);
  }
  return [];
}

/** Returns the sentences that could be tagged, and rejects the others. */
function withoutRejected(
  tagged: TaggedSentence[],
  rejected: ReadonlyMap<number, TagstreamError>,
): TaggedSentence[] {
  for (const [s, error] of rejected) {
    const { delivery } = tagged[s]!;
    if (delivery === undefined) throw error;
    delivery.reject(error);
  }
  return tagged.filter((_, s) => !rejected.has(s));
}

function predictedSentences(
  model: Model,
  { contribution }: TrainingStep,
  options: DecodeOptions,
): TaggedSentence[] {
  const { minibatch, predicted, predictedScores } = contribution;
  const { asked, others } = confidenceIn(options);
  if (asksForMore(others)) {
    throw new TagstreamError('config', 'training steps can only be tagged with the best sequence', {
      fix: 'remove decoding, nbest and other decoding options while training',
    });
  }
  if (predicted === undefined || predictedScores === undefined) {
    throw new TagstreamError('config', 'there are no predictions to tag with', {
      fix: 'call contribute with predict: true',
    });
  }
  const decoded = { labels: predicted, scores: predictedScores };
  const { confidence } = contribution;
  const isPredicted = predicted.length > 0 && predicted[0] !== noLabel;
  if (asked === undefined || (confidence === undefined && !isPredicted)) {
    return taggedSentences(model, minibatch, decoded);
  }
  const { marginals, probability } = asked;
  const isThere =
    (marginals === undefined || confidence?.marginals !== undefined) &&
    (marginals !== 'all' || confidence?.labelMarginals !== undefined) &&
    (marginals !== 'pairs' || confidence?.pairMarginals !== undefined) &&
    (probability === undefined || confidence?.probabilities !== undefined);
  if (confidence === undefined || !isThere) {
    throw new TagstreamError('config', 'the predictions have no probabilities', {
      fix: `call contribute with ${JSON.stringify({ predict: true, ...asked })}`,
    });
  }
  return taggedSentences(model, minibatch, { ...decoded, ...confidence });
}

/**
 * @param decoded the decoded labels; the tokens are those of `sentenceStarts` if probabilities and labels have
 *   different indices
 */
function taggedSentences(
  model: Model,
  batch: Minibatch,
  decoded: Decoded & { readonly sentenceStarts?: Uint32Array },
): TaggedSentence[] {
  const { reported: names } = model.labels;
  const { rejected, marginals, labelMarginals, pairMarginals } = decoded;
  const { probabilities, logProbabilities, nbest, spans } = decoded;
  const all = batch.sentences.map(({ sentence }, s) => {
    const start = batch.sentenceStarts[s]!;
    const end = batch.tokenEnds?.[s] ?? batch.sentenceStarts[s + 1]!;
    const first = decoded.sentenceStarts?.[s] ?? start;
    const last = first + end - start;
    const tags = model.labels.predictedTags(decoded.labels, start, end);
    // Copies field by field: spreading a sentence takes as long as decoding it.
    const { tokens, columns, document, part, offsets, delivery, tags: gold } = sentence;
    const score = decoded.scores[s]!;
    const tagged: Draft = { tokens, columns, document, part, tags: tags ?? [], score };
    if (offsets !== undefined) tagged.offsets = offsets;
    if (sentence.multiword !== undefined) tagged.multiword = sentence.multiword;
    if (delivery !== undefined) tagged.delivery = delivery;
    if (gold !== undefined) tagged.gold = gold;
    if (sentence.constraints !== undefined) tagged.constraints = sentence.constraints;
    if (tags === undefined) {
      tagged.untagged = true;
      return tagged;
    }
    if (marginals !== undefined) tagged.marginals = Array.from(marginals.subarray(first, last));
    if (labelMarginals !== undefined) {
      const { labels, values } = labelMarginals;
      const own = values.subarray(first * labels.length, last * labels.length);
      tagged.labelMarginals = { labels, values: own };
    }
    if (pairMarginals !== undefined) tagged.pairMarginals = pairMarginals[s]!;
    if (probabilities !== undefined) {
      tagged.probability = probabilities[s]!;
      tagged.logProbability = logProbabilities![s]!;
    }
    if (nbest !== undefined) tagged.nbest = alternatives(nbest[s]!, names);
    if (spans !== undefined) tagged.spans = spans[s]!;
    return tagged;
  });
  const given = rejected === undefined ? all : withoutRejected(all, rejected);
  return given.some(isLate) ? given.filter(dropLate) : given;
}

function isLate({ document }: TaggedSentence): boolean {
  return document.late !== undefined;
}

/** Adds the results of a bundle's layers to sentences. */
function withResults(layers: BundledLayers, tagged: readonly TaggedSentence[]): TaggedSentence[] {
  const results = layers.resultsOf(
    tagged,
    tagged.map(({ tags }) => tags),
  );
  return tagged.map((sentence, s) => Object.assign(sentence, { results: results[s]! }));
}

/** Omits records with late labels, which have already been tagged. */
function dropLate(sentence: TaggedSentence): boolean {
  if (!isLate(sentence)) return true;
  sentence.delivery?.release();
  sentence.delivery?.ack();
  return false;
}

type Draft = { -readonly [Key in keyof TaggedSentence]: TaggedSentence[Key] };
