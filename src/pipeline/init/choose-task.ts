import type { Task } from '../training/recipe.js';
import type { Guess } from './guess/guess.js';
import { isPhraseTag } from './guess/phrase-tag.js';
import type { Sample } from './sample.js';

/** A task, and why it was chosen. */
export interface ChosenTask {
  readonly task: Task;
  readonly reason: string;
}

/** What the tags of a file are for, by their form and by how many tokens are outside of all spans. */
export function chooseTask({ format }: Pick<Guess, 'format'>, sample: Sample): ChosenTask {
  const { scheme, outside, labels, tokenLength } = sample;
  if (format === 'letters' || tokenLength < 1.2) {
    return { task: 'letters', reason: 'the tokens are single letters' };
  }
  if (scheme === 'none') return { task: 'pos', reason: 'the tags mark no spans' };
  if (labels.some(isPhraseTag)) {
    return { task: 'chunk', reason: `the tags mark phrases, in ${scheme}` };
  }
  const share = `${Math.round(outside * 100)} % of the tokens are outside`;
  return outside < 0.5
    ? { task: 'chunk', reason: `the tags mark spans, in ${scheme}, and only ${share}` }
    : { task: 'ner', reason: `the tags mark spans, in ${scheme}, and ${share}` };
}
