import { statSync } from 'node:fs';
import { TagstreamError } from '../../core/errors.js';
import { grouped } from '../../core/wording/grouped.js';
import { readBytes } from '../../io/reading/read-bytes.js';
import { type ModelHeader, readModelHeader } from '../../models/files/model-header.js';
import { trainingNoteOf } from '../../models/files/model-notes.js';

/** What a run takes to train its model. */
export interface RunLength {
  readonly optimizer: string;
  readonly epochs: number;
  /** Labelled sentences of its corpus, where a limit may leave some out; undefined before it is read. */
  readonly limitedTo?: number | undefined;
}

/**
 * Refuses to replace the model of a longer training: one that had more passes of the same optimizer, or more
 * sentences than a limit lets this run read. A model that notes nothing of its training, or is damaged, is replaced; a file
 * that is something else is not.
 *
 * @throws TagstreamError `usage`
 */
export function requireNotShorter(file: string, { optimizer, epochs, limitedTo }: RunLength): void {
  const header = headerOf(file);
  if (header === undefined) return;
  const refuse = (had: string, has: string) => {
    throw kept(`${file} is the model of a longer training: ${had}, this run ${has}`);
  };
  const before = trainingNoteOf(header);
  if (before?.optimizer === optimizer && epochs < before.epochs) {
    refuse(`it had up to ${grouped(before.epochs)} passes`, `has ${grouped(epochs)}`);
  }
  const { trainingSentences: all } = header;
  if (limitedTo !== undefined && all !== null && limitedTo < all) {
    refuse(`it had ${grouped(all)} sentences`, `with its limit has ${grouped(limitedTo)}`);
  }
}

function kept(problem: string): TagstreamError {
  return new TagstreamError('usage', problem, {
    fix: 'write another file with --model NAME, or replace it with --force',
  });
}

/** The header of a model file, if there is one that can be read. */
function headerOf(file: string): ModelHeader | undefined {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found?.isFile() !== true || found.size === 0) return undefined;
  try {
    return readModelHeader(readBytes(file), file);
  } catch (thrown) {
    if (!(thrown instanceof TagstreamError)) throw thrown;
    if (thrown.code !== 'model-format') return undefined;
    throw kept(`${file} is no model, and would be replaced by one`);
  }
}
