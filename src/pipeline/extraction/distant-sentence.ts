import { TagstreamError } from '../../core/errors.js';
import type { Document } from '../../core/sentence/document.js';
import type { Sentence } from '../../core/sentence/sentence.js';

/**
 * Stands for a sentence that another thread has read: the id of its record is known, for errors. Its text
 * was not kept, and to ask for it is an error rather than an empty answer. It has no delivery, as its
 * record left memory where it was read.
 */
export class DistantSentence implements Sentence {
  readonly document: Document;

  constructor(id: string | undefined) {
    this.document = id === undefined ? withoutId : { id };
  }

  get tokens(): never {
    throw notKept('tokens');
  }

  get columns(): never {
    throw notKept('columns');
  }

  get tags(): never {
    throw notKept('tags');
  }

  get part(): never {
    throw notKept('part');
  }
}

const withoutId: Document = {};

function notKept(what: string): TagstreamError {
  return new TagstreamError('stage', `the ${what} of a sentence that a worker read are not kept`, {
    fix: 'train with one worker where a stage needs the text of its sentences',
  });
}
