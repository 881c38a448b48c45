import type { Sentence } from '../../core/sentence/sentence.js';

/** Adds context to consecutive sentences, once all of it is known. */
export interface ContextWindow {
  /** Sentences not yet passed on. */
  readonly pending: number;
  /** Adds the next sentence; returns those whose context is now complete, in order. */
  push(sentence: Sentence): Sentence[];
  /** Returns the remaining sentences at the end of the input. */
  flush(): Sentence[];
}

/** A first model's predictions, for the templates of a second one (`%predicted`). */
export interface Predictions {
  /** The model file of the first model, which becomes part of the second one's. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Returns a sentence with the context that is known from it alone. */
  alone(sentence: Sentence): Sentence;
  /** Returns a window that adds context to sentences in order. */
  inOrder(): ContextWindow;
}
