import { TagstreamError } from '../../core/errors.js';
import type { Minibatch } from '../../core/minibatch/minibatch.js';
import type { Span } from '../../core/sentence/sentence.js';
import type { PairSums, SparsePairs } from '../../inference/marginals/pair-marginals.js';
import type { ParameterStore, VotingWeights } from '../../kernels/store/parameter-store.js';
import { spansOf } from '../../text/tags/spans.js';
import type { DecodeOptions } from './decode-options.js';
import type { Decoded, DecodedDraft, ReportedLabels } from './decoded.js';

/** Decoding by the voters. */
export interface Poll {
  readonly voters: VotingWeights;
  /** Decodes with one voter's weights. */
  readonly decode: (parameters: ParameterStore, options: DecodeOptions) => Decoded;
  /** Label names; needed only for spans. */
  readonly names: readonly string[];
  /** Reported labels, if the probabilities of all labels are requested. */
  readonly reported: ReportedLabels | undefined;
  /** Sums of label pairs, if requested. */
  readonly pairSums: PairSums | undefined;
}

/** A label sequence of a sentence, with its votes. */
interface Ballot {
  readonly labels: Int32Array;
  votes: number;
  /** Number of its earliest voter. */
  first: number;
}

/**
 * Decodes a minibatch by the votes of several weights on whole label sequences; ties go to the sequence with
 * the earliest voter.
 *
 * Votes replace weight scores: a sequence's score is its number of votes, its probability its share of all
 * votes; n-best lists contain the sequences with votes, and the probability of a label at a token, or of a
 * span, is the share of votes whose sequences contain it. Costs one decoding per voter, in one pass over the
 * voters' changes.
 *
 * @throws TagstreamError `config` for a decoding other than viterbi
 */
export function decodeByVotes(
  { voters, decode, names, reported, pairSums }: Poll,
  batch: Minibatch,
  options: DecodeOptions,
  decoded: DecodedDraft,
): Decoded {
  const { decoding = 'viterbi', transitions, dictionary, constraints, sequence, rules } = options;
  if (decoding !== 'viterbi') {
    throw new TagstreamError('config', `a model of voters cannot decode by ${decoding}`, {
      fix: 'leave decoding out: voters vote on whole label sequences',
    });
  }
  const { sentenceStarts } = batch;
  const ballots: Ballot[][] = batch.sentences.map(() => []);
  const rejected = new Map<number, TagstreamError>();
  for (const voter of nearerEndFirst(voters)) {
    const own = decode(voters.at(voter), {
      ...{ transitions, dictionary, constraints },
      ...(sequence === undefined ? {} : { sequence }),
      ...(rules === undefined ? {} : { rules }),
    });
    for (const [s, error] of own.rejected ?? []) rejected.set(s, error);
    for (let s = 0; s < ballots.length; s += 1) {
      const labels = own.labels.subarray(sentenceStarts[s], sentenceStarts[s + 1]);
      cast(ballots[s]!, labels, voter, voters.votes[voter]!);
    }
  }
  const all = voters.votes.reduce((sum, votes) => sum + votes, 0);
  for (const [s, own] of ballots.entries()) {
    own.sort((a, b) => b.votes - a.votes || a.first - b.first);
    put(decoded, s, sentenceStarts[s]!, { ballots: own, all, options, names, reported, pairSums });
  }
  if (rejected.size > 0) decoded.rejected = rejected;
  return decoded;
}

function* nearerEndFirst({ votes, position }: VotingWeights): Generator<number> {
  const backwards = 2 * position >= votes.length;
  for (let i = 0; i < votes.length; i += 1) yield backwards ? votes.length - 1 - i : i;
}

function cast(ballots: Ballot[], labels: Int32Array, voter: number, votes: number): void {
  const ballot = ballots.find(each => each.labels.every((label, t) => label === labels[t]));
  if (ballot === undefined) {
    ballots.push({ labels: labels.slice(), votes, first: voter });
    return;
  }
  ballot.votes += votes;
  ballot.first = Math.min(ballot.first, voter);
}

interface Count {
  readonly ballots: readonly Ballot[];
  /** Total number of votes. */
  readonly all: number;
  readonly options: DecodeOptions;
  readonly names: readonly string[];
  readonly reported: ReportedLabels | undefined;
  readonly pairSums: PairSums | undefined;
}

/** Writes a sentence's voting result. */
function put(decoded: DecodedDraft, s: number, first: number, count: Count): void {
  const { ballots, all, options, names, reported, pairSums } = count;
  const best = ballots[0]!;
  const shareOf = (has: (ballot: Ballot) => boolean) =>
    ballots.reduce((sum, each) => (has(each) ? sum + each.votes : sum), 0) / all;
  decoded.labels.set(best.labels, first);
  decoded.scores[s] = best.votes;
  const { marginals, labelMarginals, pairMarginals, nbest, spans } = decoded;
  const { probabilities, logProbabilities } = decoded;
  const ofVotes = (votes: number) => ({
    ...{ probability: votes / all, logProbability: Math.log(votes / all) },
  });
  if (probabilities !== undefined) {
    const found = ofVotes(best.votes);
    probabilities[s] = found.probability;
    logProbabilities![s] = found.logProbability;
  }
  if (marginals !== undefined) {
    for (const [t, label] of best.labels.entries()) {
      marginals[first + t] = shareOf(({ labels }) => labels[t] === label);
    }
  }
  if (labelMarginals !== undefined) {
    const { columns, tags } = reported!;
    const { values } = labelMarginals;
    const from = first * tags.length;
    const to = from + best.labels.length * tags.length;
    values.fill(0, from, to);
    for (const { labels, votes } of ballots) {
      for (let t = 0; t < labels.length; t += 1) {
        values[from + t * tags.length + columns[labels[t]!]!]! += votes;
      }
    }
    for (let i = from; i < to; i += 1) values[i]! /= all;
  }
  if (pairMarginals !== undefined) {
    pairMarginals[s] = { labels: reported!.tags, ...pairShares(ballots, all, pairSums!) };
  }
  if (nbest !== undefined) {
    nbest[s] = ballots.slice(0, options.nbest).map(({ labels, votes }) => ({
      ...{ labels, score: votes, ...ofVotes(votes) },
    }));
  }
  if (spans !== undefined) {
    const marked = new Map(ballots.map(ballot => [ballot, spansIn(ballot, names)]));
    spans[s] = marked.get(best)!.map(span => ({
      ...span,
      probability: shareOf(ballot => marked.get(ballot)!.some(other => isSame(span, other))),
    }));
  }
}

/** Returns, for pairs of neighbouring labels, the share of votes whose sequences contain them. */
function pairShares(ballots: readonly Ballot[], all: number, sums: PairSums): SparsePairs {
  const { columns } = sums;
  sums.open(ballots[0]!.labels.length);
  for (let t = 0; t < ballots[0]!.labels.length; t += 1) {
    for (const { labels, votes } of t === 0 ? [] : ballots) {
      sums.add(columns[labels[t - 1]!]!, columns[labels[t]!]!, votes / all);
    }
    sums.next();
  }
  return sums.finish();
}

function spansIn({ labels }: Ballot, names: readonly string[]): Span[] {
  return spansOf(Array.from(labels, label => names[label]!));
}

function isSame(a: Span, b: Span): boolean {
  return a.label === b.label && a.start === b.start && a.end === b.end;
}
