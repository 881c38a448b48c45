import type { Sentence } from '../../core/sentence/sentence.js';

/** Adds context to consecutive sentences, once it is complete. */
export interface ContextWindow {
  /** Number of sentences not yet passed on. */
  readonly pending: number;
  /** Adds the next sentence, and returns those whose context is now complete, in order. */
  push(sentence: Sentence): Sentence[];
  /** Returns the remaining sentences at the end of the input. */
  flush(): Sentence[];
}

/** A first model's predictions, for the templates of a second one (`%predicted`). */
export interface Predictions {
  /** Model file of the first model, which becomes part of the second model's file. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Returns a sentence with the context that can be derived from it alone. */
  alone(sentence: Sentence): Sentence;
  /** Returns a window that adds context to sentences in order. */
  inOrder(): ContextWindow;
}
