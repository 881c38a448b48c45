import { concatMap, from, map, Observable, type OperatorFunction, of } from 'rxjs';
import { type EncodedSentence, isLabelled } from '../../core/minibatch/encoded-sentence.js';
import type { Sentence } from '../../core/sentence/sentence.js';
import type { TrainingStep } from '../../core/training/training-step.js';
import type { MixingLearner } from '../../models/group/mixing/mixing-learner.js';
import type { ShardExecutor } from '../../models/group/mixing/shard-executor.js';

/** The options of learning from a stream in rounds. */
export interface MixRoundsOptions {
  /** Minimum number of labelled sentences per round; the round ends with the record that reaches it. */
  readonly every: number;
  /** Learns from the shards. */
  readonly executor: ShardExecutor;
  /** Encodes sentences, as `featurize` does. */
  readonly encode: OperatorFunction<Sentence, EncodedSentence>;
  /** Whether steps contain the labels predicted for sentences before learning from them. Default false. */
  readonly predict?: boolean | undefined;
}

/**
 * Returns an operator that collects the labelled sentences of a stream in rounds, deals each round out to shards, and
 * emits a step for it: parameter mixing at intervals, see `Mixer` and `MixingLearner.round`. The last round may be
 * shorter.
 *
 * Nothing is encoded while the shards learn, so a growing model does not depend on timing. Sentences of a round stay in
 * memory on purpose: they are released when collected, and acknowledged by the step's consumer. Unlabelled records are
 * acknowledged at once.
 */
export function mixRounds(
  learner: MixingLearner,
  { every, executor, encode, predict = false }: MixRoundsOptions,
): OperatorFunction<Sentence, TrainingStep> {
  return source =>
    new Observable<TrainingStep>(subscriber => {
      learner.beginStream(executor);
      const round = new Round();
      /** Resolves when the shards have learned the current round. */
      let learning: Promise<void> | undefined;
      const isWanted = () => !subscriber.closed;
      const learn = async () => {
        const step = await learner.round(round.take(), { predict, isWanted });
        if (step !== undefined) subscriber.next(step);
        learning = undefined;
      };
      const begin = () => {
        learning = learn();
        learning.catch(error => subscriber.error(error));
      };
      const finish = async () => {
        await learning;
        if (round.labelled > 0) await learn();
      };
      const held = source.pipe(
        concatMap(sentence =>
          learning === undefined ? of(sentence) : from(learning).pipe(map(() => sentence)),
        ),
      );
      subscriber.add(
        held.pipe(encode).subscribe({
          next: sentence => {
            round.add(sentence);
            learner.waiting = round.labelled;
            if (round.labelled >= every && round.isWhole) begin();
          },
          error: error => subscriber.error(error),
          complete: () => {
            finish().then(
              () => subscriber.complete(),
              error => subscriber.error(error),
            );
          },
        }),
      );
    });
}

/** The sentences of the round being collected. */
class Round {
  #sentences: EncodedSentence[] = [];
  labelled = 0;

  /** Whether the last sentence of the round is the last of its record. */
  get isWhole(): boolean {
    const { index, count } = this.#sentences.at(-1)!.sentence.part;
    return index + 1 === count;
  }

  add(encoded: EncodedSentence): void {
    const { delivery, document } = encoded.sentence;
    delivery?.release();
    const isPart = this.#sentences.at(-1)?.sentence.document === document;
    if (isLabelled(encoded)) this.labelled += 1;
    else if (!isPart) {
      delivery?.ack();
      return;
    }
    this.#sentences.push(encoded);
  }

  take(): readonly EncodedSentence[] {
    const taken = this.#sentences;
    this.#sentences = [];
    this.labelled = 0;
    return taken;
  }
}
