import { TagstreamError } from '../../core/errors.js';
import type { EncodedSentence } from '../../core/minibatch/encoded-sentence.js';
import type { Minibatch } from '../../core/minibatch/minibatch.js';
import { packMinibatch } from '../../core/minibatch/pack-minibatch.js';
import type { ParameterStore } from '../../kernels/store/parameter-store.js';

/** Sentences in which no label sequence has more features in all than `total`. */
export interface ScalingGroup {
  readonly total: number;
  readonly minibatches: readonly Minibatch[];
}

const atOnce = 32;

/**
 * Divides the labelled sentences of a corpus into at most `most` groups of like totals
 *
 *     f#(x) = sum of the values of all features that are active in x, whatever the labels
 *
 * the lowest first. Where only observed features have weights, f# is a bound.
 *
 * @throws TagstreamError `config` for values below 0 and partially labelled sentences, which
 *   iterative scaling has no answer to
 */
export function scalingGroups(
  corpus: readonly Minibatch[],
  parameters: ParameterStore,
  most: number,
): ScalingGroup[] {
  const found: { sentence: EncodedSentence; total: number }[] = [];
  for (const minibatch of corpus) {
    for (const [s, sentence] of minibatch.sentences.entries()) {
      if (minibatch.labelled[s] === 1)
        found.push({ sentence, total: totalOf(sentence, parameters) });
    }
  }
  found.sort((a, b) => a.total - b.total);
  const distinct = new Set(found.map(({ total }) => total)).size;
  const groups: ScalingGroup[] = [];
  const each = Math.ceil(found.length / most);
  for (let first = 0; first < found.length; ) {
    let end = distinct <= most ? first + 1 : Math.min(first + each, found.length);
    while (end < found.length && found[end]!.total === found[end - 1]!.total) end += 1;
    const sentences = found.slice(first, end).map(({ sentence }) => sentence);
    const minibatches: Minibatch[] = [];
    for (let i = 0; i < sentences.length; i += atOnce) {
      minibatches.push(packMinibatch(sentences.slice(i, i + atOnce)));
    }
    groups.push({ total: found[end - 1]!.total, minibatches });
    first = end;
  }
  return groups;
}

function totalOf(sentence: EncodedSentence, { layout }: ParameterStore): number {
  if (sentence.allowed !== undefined) {
    throw new TagstreamError(
      'config',
      'iterative scaling does not support partially labelled sentences',
      { fix: 'use lbfgs, owl-qn or bcd, or omit such sentences' },
    );
  }
  const { length, stateStarts, stateValues, edgeStarts, edgeValues } = sentence;
  let total = sum(stateStarts[length]!, stateValues, 0);
  if (layout.transitions) total += length - 1;
  if (edgeStarts !== undefined) total += sum(edgeStarts[length]!, edgeValues, edgeStarts[1] ?? 0);
  return total;
}

function sum(end: number, values: Float64Array | undefined, from: number): number {
  if (values === undefined) return end - from;
  let total = 0;
  for (let i = from; i < end; i += 1) {
    const value = values[i]!;
    if (value < 0) {
      throw new TagstreamError('config', `a feature has the value ${value}`, {
        fix: 'iterative scaling needs values of at least 0: use another trainer, or shift the column',
      });
    }
    total += value;
  }
  return total;
}
