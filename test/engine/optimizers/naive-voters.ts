import type { EncodedSentence } from '../../../src/engine/core/minibatch/encoded-sentence.js';
import type { NaiveOptimizer } from './naive-optimizers.js';
import type { NaiveTrainer } from './naive-trainer.js';

/** A copy of all weights by name, and the sentences that they survived. */
export interface NaiveVoter {
  readonly weights: ReadonlyMap<string, number>;
  votes: number;
}

/** A label sequence and its votes, with the number of the first voter who wants it. */
export interface NaiveBallot {
  readonly labels: readonly number[];
  votes: number;
  readonly first: number;
}

/**
 * The voted perceptron by copying all weights after each mistake, and by asking each copy. Where there may be
 * `most` copies, two neighbours become one as `VoterHistory` says.
 */
export class NaiveVoters implements NaiveOptimizer {
  readonly loss = 'perceptron';
  readonly #most: number;
  voters: NaiveVoter[] = [];

  constructor(most = Number.POSITIVE_INFINITY) {
    this.#most = most;
  }

  clock(): number {
    return 0;
  }

  update(
    trainer: NaiveTrainer,
    { gradient, wrong }: { gradient: ReadonlyMap<string, number>; wrong: number },
  ) {
    for (const [name, weight] of trainer.weights) {
      weight.value -= gradient.get(name) ?? 0;
      weight.sum += weight.value;
      weight.count += 1;
    }
    const present = valuesOf(trainer);
    const last = this.voters.at(-1);
    if (last !== undefined && (wrong === 0 || isSame(last.weights, present))) {
      last.votes += 1;
      return;
    }
    this.voters.push({ weights: present, votes: 1 });
    if (this.voters.length > this.#most) this.#unite();
  }

  deployed({ value, sum, count }: { value: number; sum: number; count: number }): number {
    return count === 0 ? value : sum / count;
  }

  /** What the voters say of a sentence, the winner first. */
  ballots(trainer: NaiveTrainer, sentence: EncodedSentence): NaiveBallot[] {
    const present = valuesOf(trainer);
    const ballots = new Map<string, NaiveBallot>();
    for (const [first, { weights, votes }] of this.voters.entries()) {
      putValues(trainer, weights);
      const labels = trainer.bestOf(sentence);
      const ballot = ballots.get(labels.join()) ?? { labels, votes: 0, first };
      ballot.votes += votes;
      ballots.set(labels.join(), ballot);
    }
    putValues(trainer, present);
    // Ballots are in the order of their first voters, and the sort keeps equals as they are.
    return [...ballots.values()].sort((a, b) => b.votes - a.votes);
  }

  #unite(): void {
    const closed = this.voters.slice(0, -1);
    const sums = closed.slice(1).map((voter, i) => closed[i]!.votes + voter.votes);
    const i = sums.indexOf(Math.min(...sums));
    const [a, b] = [closed[i]!, closed[i + 1]!];
    const kept = a.votes > b.votes ? a : b;
    this.voters.splice(i, 2, { weights: kept.weights, votes: a.votes + b.votes });
  }
}

function valuesOf({ weights }: NaiveTrainer): ReadonlyMap<string, number> {
  return new Map([...weights].map(([name, { value }]) => [name, value]));
}

function putValues({ weights }: NaiveTrainer, values: ReadonlyMap<string, number>): void {
  for (const [name, weight] of weights) weight.value = values.get(name) ?? 0;
}

function isSame(a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>): boolean {
  return [...b].every(([name, value]) => (a.get(name) ?? 0) === value);
}
