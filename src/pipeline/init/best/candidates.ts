import type { Task } from '../guess/guess.js';
import type { Candidate } from './recipe.js';

/** What the data have that a change needs. */
export interface CandidateFacts {
  readonly task: Task;
  /** The tags mark spans. */
  readonly spans: boolean;
  /** A file of clusters of raw text, as it stands in the pipeline file. */
  readonly clusters: string | undefined;
  /** A pipeline file for a first model, where the records are of documents. */
  readonly first?: string | undefined;
}

/**
 * The changes of a plain pipeline that are worth a trial, those that gained most on public corpora first.
 *
 * @example
 * candidatesFor({ task: 'pos', spans: false, clusters: undefined }).map(({ name }) => name) // => ['seen', 'dropout']
 */
export function candidatesFor({ task, spans, clusters, first }: CandidateFacts): Candidate[] {
  const own: Candidate[] = [];
  const add = (name: string, change: Candidate['change']) => own.push({ name, change });
  // What a word is says nothing where each token is a letter.
  const isWords = task !== 'letters';
  if (clusters !== undefined && isWords) add('clusters', { clusters });
  if (isWords) add('seen', { seen: true });
  if (task === 'ner') add('document', { document: true });
  if (spans) {
    add('bioes', { encode: 'bioes' });
    add('margin, cost 1', { cost: 1 });
    add('margin, cost 3', { cost: 3 });
  }
  add('dropout', { dropout: 0.1 });
  // Seven trainings in place of one, so that it comes last.
  if (spans && first !== undefined) add('first model', { first });
  return own;
}
