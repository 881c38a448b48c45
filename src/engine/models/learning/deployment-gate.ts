import { TagstreamError } from '../../core/errors.js';
import type { EncodedSentence } from '../../core/minibatch/encoded-sentence.js';
import { packMinibatch } from '../../core/minibatch/pack-minibatch.js';
import type { DeploymentComparison } from '../../core/run-status.js';
import type { Sentence } from '../../core/sentence/sentence.js';
import type { Contribution } from '../../core/training/contribution.js';
import { type State, type Stateful, stateArray, stateCount } from '../../core/training/state.js';
import { inDocuments } from '../../features/context/document-memory.js';
import { Decoder } from '../decoding/decoder.js';
import type { Model } from '../model.js';
import { type Contest, countKnown, countWrong } from './contest.js';

/** What a `DeploymentGate` compares with the deployed model. */
export interface GateOptions {
  /** Number of recent labelled sentences over which models are compared, from 1. */
  readonly records: number;
  /** The model of the stream's learner, with the numbers of its labels. */
  readonly model: Pick<Model, 'labels'>;
  /** The learner's contest with its challengers, if there is one. */
  readonly contest?: Contest | undefined;
}

/** A model that is deployed, as it tags sentences. */
interface Deployed {
  readonly model: Model;
  readonly decoder: Decoder;
  readonly place: (sentence: Sentence) => Sentence;
}

/** The first numbers of a sentence in the window; then come the wrong tokens of each learner. */
const [tokensAt, deployedAt, learnersAt] = [0, 1, 2] as const;

/**
 * Decides whether a model that is learned from a stream may replace the deployed one. Both tag each labelled sentence:
 * the learners before they learn from it, the deployed model with its fixed weights. The model may be deployed if, of the
 * tokens of the last `records` labelled sentences, it tags at least as many correctly as the deployed model does. A new
 * deployed model starts a new window. A sentence that the deployed model cannot read counts as wrong for it.
 *
 * Each labelled sentence costs one tagging by the deployed model; memory is a few numbers for each sentence of the window.
 */
export class DeploymentGate implements Stateful {
  readonly #options: GateOptions;
  /** Numbers of the last sentences, as a ring, and their sums. */
  readonly #window: Int32Array;
  readonly #sums: Int32Array;
  #sentences = 0;
  #deployed: Deployed | undefined;

  constructor(options: GateOptions) {
    this.#options = options;
    const width = learnersAt + (options.contest?.learners.size ?? 1);
    this.#sums = new Int32Array(width);
    this.#window = new Int32Array(width * options.records);
  }

  /** Sets the deployed model, with which learners are compared from the next sentence on; undefined if there is none. */
  replace(model: Model | undefined): void {
    this.#deployed = model && {
      ...{ model, decoder: new Decoder(model.kernel, model) },
      place: inDocuments(model.extractor.readsDocuments),
    };
    this.#sentences = 0;
    this.#window.fill(0);
    this.#sums.fill(0);
  }

  /** Compares the models on the sentences of a step. Must be called for each step, in order. */
  see({ minibatch, predicted }: Contribution): void {
    const deployed = this.#deployed;
    if (deployed === undefined || predicted === undefined) return;
    const { contest, model } = this.#options;
    for (const [s, { sentence }] of minibatch.sentences.entries()) {
      const placed = deployed.place(unlabelled(sentence));
      const tokens = countKnown(sentence);
      if (tokens === 0) continue;
      const row = this.#nextRow();
      row[tokensAt] = tokens;
      row[deployedAt] = Math.min(tokens, wrongTokens(deployed, placed, sentence));
      if (contest === undefined) {
        const start = minibatch.sentenceStarts[s]!;
        row[learnersAt] = countWrong(sentence, model.labels.reported, predicted, start);
      } else {
        for (const [i, wrong] of contest.lastErrors.entries()) row[learnersAt + i] = wrong[s]!;
      }
      for (let i = 0; i < row.length; i += 1) this.#sums[i]! += row[i]!;
    }
  }

  /** Returns the place of the next sentence in the window, from whose sums the sentence that it replaces is taken. */
  #nextRow(): Int32Array {
    const width = this.#sums.length;
    const at = (this.#sentences % this.#options.records) * width;
    const row = this.#window.subarray(at, at + width);
    for (let i = 0; i < width; i += 1) this.#sums[i]! -= row[i]!;
    this.#sentences += 1;
    return row;
  }

  /** Compares the learner whose model would be deployed with the deployed model; undefined if there is none. */
  get comparison(): DeploymentComparison | undefined {
    if (this.#deployed === undefined) return undefined;
    const { records: required, contest } = this.#options;
    const sums = this.#sums;
    return {
      ...{ required, records: Math.min(this.#sentences, required), tokens: sums[tokensAt]! },
      errors: sums[learnersAt + (contest?.championIndex ?? 0)]!,
      deployedErrors: sums[deployedAt]!,
    };
  }

  /** Whether the model of the learner, or of the champion, may replace the deployed one. */
  get isOpen(): boolean {
    const found = this.comparison;
    if (found === undefined) return true;
    return found.records === found.required && found.errors <= found.deployedErrors;
  }

  save(): State {
    const { records } = this.#options;
    return { json: { records, sentences: this.#sentences }, arrays: { window: this.#window } };
  }

  /** Restores the window; if it has another length now, a new one starts. The deployed model must be set before. */
  restore(state: State): void {
    if (state.json.records !== this.#options.records) return;
    const { length } = this.#window;
    const width = this.#sums.length;
    this.#window.set(stateArray(state, 'window', [Int32Array], length).subarray(0, length));
    this.#sentences = stateCount(state, 'sentences');
    this.#sums.fill(0);
    for (let at = 0; at < length; at += 1) this.#sums[at % width]! += this.#window[at]!;
  }
}

/** Returns a sentence as a model sees it that is to tag it. */
function unlabelled({ tokens, document, columns, part, delivery }: Sentence): Sentence {
  return { tokens, document, columns, part, ...(delivery && { delivery }) };
}

/** Returns the number of tokens that the deployed model tags wrongly; infinite if it cannot read the sentence. */
function wrongTokens({ model, decoder }: Deployed, placed: Sentence, gold: Sentence): number {
  try {
    const batch: readonly EncodedSentence[] = [model.encodeKnown(placed)];
    const { labels } = decoder.decode(model.parameters, packMinibatch(batch), {});
    return countWrong(gold, model.labels.reported, labels, 0);
  } catch (thrown) {
    if (thrown instanceof TagstreamError) return Number.POSITIVE_INFINITY;
    throw thrown;
  }
}
