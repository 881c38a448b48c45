import type { ContextColumns, Sentence } from '../../core/sentence/sentence.js';

/**
 * Finds the starts of documents in consecutive sentences: at records marked as such
 * (`Document.startsDocument`), at records whose document name or input differs from the previous
 * record's, and at `-DOCSTART-` tokens. A record of several sentences is a document.
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

  /** Returns whether the next sentence belongs to a different document than the previous one. */
  startsAt({ document, part, tokens, delivery }: Sentence): boolean {
    const source = delivery?.position.source;
    const isAlone = part.count > 1;
    // A record of several sentences gets a unique name.
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

/** Default number of sentences in a memory. */
export const defaultWindow = 50;

/**
 * Spellings of an occurrence: in lower case, capitalised at the start of a sentence, or capitalised
 * within it.
 */
const [lowerCase, initial, within] = [0, 1, 2] as const;

/** Occurrences of a word in the window. */
interface Word {
  readonly word: string;
  /** Counts by spelling. */
  readonly counts: [number, number, number];
  /** Neighbours, in lower case, of capitalised occurrences within sentences, the oldest first. */
  readonly neighbours: (readonly [left: string, right: string])[];
}

/** Spelling of a token. */
interface Form {
  /** Word in lower case. */
  readonly word: string;
  readonly isLower: boolean;
  readonly hasLetters: boolean;
}

/** A sentence of the window: its remembered words and their spellings. */
interface Remembered {
  readonly words: Word[];
  readonly written: number[];
}

/** Maximum number of tokens whose spelling is cached. */
const mostForms = 65_536;

/** Value for tokens without a capital, and for missing neighbours. */
const nothing = '-';

/** Value for the position after the last word. */
const behindLast = '_B+1';

/**
 * Remembers the words of a document's previous sentences, and returns for each capitalised token
 * how its word was spelled there, for `%document[0,0,case]` and similar templates.
 *
 * - `case`: `N` for a word that did not occur; `L` if it was in lower case, `C` if it was capitalised within a
 *   sentence, `LC<` or `LC>` for both, `>` if the capital was more frequent; `I` if it only began sentences.
 * - `left`, `right`: the neighbours of its last capitalised occurrence within a sentence, in lower
 *   case; `left2` and `right2` those of the previous such occurrence.
 *
 * A missing value, such as that of a token without a capital, is `-`, which is a feature too.
 *
 * Later sentences are not used, so a stream needs no lookahead. `DocumentStarts` finds the starts
 * of documents. Memory covers the window; cost O(1) per token. After the features of Chieu and Ng
 * (2003), "Named entity recognition with a maximum entropy approach".
 *
 * @example
 * const memory = new DocumentMemory();
 * const sentence = tokens => ({ tokens, columns: {}, document: {}, part: { index: 0, count: 1, start: 0 } });
 * memory.columnsOf(sentence(['in', 'Bath', ','])).case // => ['-', 'N', '-']
 * const columns = memory.columnsOf(sentence(['Bath', 'is', 'old']));
 * [columns.case[0], columns.left[0], columns.right[0]] // => ['C', 'in', ',']
 */
export class DocumentMemory {
  readonly #window: number;
  readonly #words = new Map<string, Word>();
  readonly #forms = new Map<string, Form>();
  /** The sentences of the window, as a ring buffer. */
  readonly #sentences: (Remembered | undefined)[];
  #next = 0;
  readonly #starts = new DocumentStarts();

  /** @param window number of previous sentences that are remembered */
  constructor(window = defaultWindow) {
    this.#window = window;
    this.#sentences = new Array(window).fill(undefined);
  }

  /** Returns the context of the next sentence's tokens, and remembers the sentence. */
  columnsOf(sentence: Sentence): ContextColumns {
    if (this.#starts.startsAt(sentence)) {
      this.#words.clear();
      this.#sentences.fill(undefined);
    }
    const { tokens } = sentence;
    const { length } = tokens;
    const columns = {
      case: new Array<string>(length).fill(nothing),
      left: new Array<string>(length).fill(nothing),
      right: new Array<string>(length).fill(nothing),
      left2: new Array<string>(length).fill(nothing),
      right2: new Array<string>(length).fill(nothing),
    };
    this.#forget(this.#sentences[this.#next]);
    const forms = tokens.map(token => this.#formOf(token));
    const noted: Remembered = { words: [], written: [] };
    for (let t = 0; t < length; t += 1) {
      const { word, isLower, hasLetters } = forms[t]!;
      if (!hasLetters) continue;
      let known = this.#words.get(word);
      if (!isLower) {
        columns.case[t] = caseOf(known);
        const { neighbours = [] } = known ?? {};
        const last = neighbours[neighbours.length - 1];
        columns.left[t] = last?.[0] ?? nothing;
        columns.right[t] = last?.[1] ?? nothing;
        const before = neighbours[neighbours.length - 2];
        columns.left2[t] = before?.[0] ?? nothing;
        columns.right2[t] = before?.[1] ?? nothing;
      }
      if (known === undefined) {
        known = { word, counts: [0, 0, 0], neighbours: [] };
        this.#words.set(word, known);
      }
      const written = isLower ? lowerCase : t === 0 ? initial : within;
      known.counts[written] += 1;
      if (written === within)
        known.neighbours.push([forms[t - 1]!.word, forms[t + 1]?.word ?? behindLast]);
      noted.words.push(known);
      noted.written.push(written);
    }
    this.#sentences[this.#next] = noted;
    this.#next = (this.#next + 1) % this.#window;
    return columns;
  }

  #forget(sentence: Remembered | undefined): void {
    if (sentence === undefined) return;
    const { words, written } = sentence;
    for (let t = 0; t < words.length; t += 1) {
      const { word, counts, neighbours } = words[t]!;
      counts[written[t] as 0 | 1 | 2] -= 1;
      if (written[t] === within) neighbours.shift();
      if (counts[0] + counts[1] + counts[2] === 0) this.#words.delete(word);
    }
  }

  #formOf(token: string): Form {
    let form = this.#forms.get(token);
    if (form === undefined) {
      const word = token.toLowerCase();
      const isLower = word === token;
      form = { word, isLower, hasLetters: !isLower || word !== word.toUpperCase() };
      if (this.#forms.size >= mostForms) this.#forms.clear();
      this.#forms.set(token, form);
    }
    return form;
  }
}

function caseOf(known: Word | undefined): string {
  if (known === undefined) return 'N';
  const [lower, , capital] = known.counts;
  if (lower > 0 && capital > 0) return capital > lower ? 'LC>' : 'LC<';
  return lower > 0 ? 'L' : capital > 0 ? 'C' : 'I';
}

/** Adds context to each sentence; sentences must come in document order. */
type PlaceInDocument = (sentence: Sentence) => Sentence;

/**
 * Returns the step that adds context to the sentences of a stream, or passes them on unchanged if
 * no template uses context.
 *
 * @param reads whether templates use the context
 */
export function inDocuments(reads: boolean): PlaceInDocument {
  if (!reads) return sentence => sentence;
  const memory = new DocumentMemory();
  return sentence => ({ ...sentence, context: memory.columnsOf(sentence) });
}
