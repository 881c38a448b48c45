import type { Sentence } from '../../core/sentence/sentence.js';

/** Gives sentences that follow each other their context, once all of it is known. */
export interface ContextWindow {
  /** Sentences that are still to be passed on. */
  readonly pending: number;
  /** Takes the next sentence; returns those whose context is known now, in order. */
  push(sentence: Sentence): Sentence[];
  /** The sentences that have not been passed on: no other comes. */
  flush(): Sentence[];
}

/** What a first model says of sentences, for the templates of a second one (`%predicted`). */
export interface Predictions {
  /** The model file of the first model, which becomes part of that of the second. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** A sentence with its context, as far as it is known without any other. */
  alone(sentence: Sentence): Sentence;
  /** Gives sentences their context where they come in order. */
  inOrder(): ContextWindow;
}
