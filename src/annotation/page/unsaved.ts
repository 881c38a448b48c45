import type { GivenAnswer } from '../answers/given-answer.js';
import { annotator, pagePath } from './api.js';

/** One origin may have the pages of several servers, and of several people. */
const stored = `tagstream-unsaved ${pagePath} ${annotator ?? ''}`;

/** An answer that the server has not confirmed yet, kept in the browser, so that a reload does not lose it. */
export const unsaved = {
  get(): GivenAnswer | undefined {
    const text = sessionStorage.getItem(stored);
    return text === null ? undefined : (JSON.parse(text) as GivenAnswer);
  },

  set(answer: GivenAnswer): void {
    sessionStorage.setItem(stored, JSON.stringify(answer));
  },

  clear(): void {
    sessionStorage.removeItem(stored);
  },
};
