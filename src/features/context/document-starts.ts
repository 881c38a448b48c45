import type { Sentence } from '../../core/sentence/sentence.js';

/**
 * Finds where documents begin in sentences that follow each other: where the record says so
 * (`Document.startsDocument`), where its name for its document or its input differs from that of the record before,
 * and at a token `-DOCSTART-`. A record of several sentences is a document by itself.
 *
 * @example
 * const starts = new DocumentStarts();
 * const sentence = (tokens, document = {}) => ({ tokens, document, columns: {}, part: { index: 0, count: 1, start: 0 } });
 * starts.startsAt(sentence(['in', 'Bath'])) // => false
 * starts.startsAt(sentence(['-DOCSTART-'])) // => true
 * starts.startsAt(sentence(['Rome'], { documentId: 'b' })) // => true
 */
export class DocumentStarts {
  #document: string | undefined;
  #source: string | undefined;

  /** Whether the sentence that comes next is of another document than the one before. */
  startsAt({ document, part, tokens, delivery }: Sentence): boolean {
    const source = delivery?.position.source;
    const isAlone = part.count > 1;
    // A record of several sentences has a name of its own, which no record has.
    const name = isAlone ? '\n' : document.documentId;
    const starts =
      (part.index === 0 && (isAlone || document.startsDocument === true)) ||
      name !== this.#document ||
      source !== this.#source ||
      tokens[0] === '-DOCSTART-';
    this.#document = name;
    this.#source = source;
    return starts;
  }
}
