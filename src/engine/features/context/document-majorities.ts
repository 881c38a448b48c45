import type { Sentence } from '../../core/sentence/sentence.js';
import { spansOf } from '../../text/tags/spans.js';
import { DocumentStarts } from './document-memory.js';
import { classOfTypes, countType, type TypeCounts, typeOfTag } from './type-counts.js';

/** Default number of sentences considered before and after each sentence. */
const defaultReach = 50;

/** Value if nothing was found. */
const nothing = '-';

/** A span's words in lower case, and its type. */
interface NamedSpan {
  readonly words: readonly string[];
  readonly type: string;
}

/** A sentence with its tags, kept while it is context for others. */
interface Entry {
  readonly sentence: Sentence;
  readonly tags: readonly string[];
  /** Tokens in lower case; undefined for tokens that do not count. */
  readonly words: readonly (string | undefined)[];
  readonly spans: readonly (NamedSpan & { readonly start: number; readonly end: number })[];
}

/**
 * A first model's predictions for the same words elsewhere in the document, for
 * `%predicted[0,0,word]` and similar templates.
 *
 * - `label`: the tag that the first model gave to the token.
 * - `word`: the class (`classOfTypes`) of the tags that the first model gave to the same word in
 *   other sentences, ignoring case; if tags mark spans, the class of span types, at tokens with a
 *   capital letter only.
 * - `span`: at tokens of a span, the class of the types of all spans with the same words in other
 *   sentences.
 * - `longer`: the class of the types of longer spans that contain these words.
 *
 * Other sentences are the document's sentences up to `reach` before or after. A sentence is
 * therefore passed on after `reach` more, or at the end of the document (see `DocumentStarts`).
 * Memory covers twice the reach; cost O(1) per token and per span with the same first word. After
 * the majority features of Krishnan and Manning (2006), "An effective two-stage model for
 * exploiting non-local dependencies in named entity recognition", which use whole documents.
 *
 * @example
 * const majorities = new DocumentMajorities(true);
 * const sentence = tokens => ({ tokens, columns: {}, document: {}, part: { index: 0, count: 1, start: 0 } });
 * majorities.push(sentence(['Bath', 'won']), ['B-ORG', 'O']) // => []
 * majorities.push(sentence(['Bath', 'City']), ['B-ORG', 'I-ORG']);
 * majorities.push(sentence(['in', 'Bath']), ['O', 'B-LOC']);
 * const [first] = majorities.flush();
 * [first.context.word[0], first.context.span[0], first.context.longer[0]] // => ['LOC~2', 'LOC!1', 'ORG!1']
 */
export class DocumentMajorities {
  readonly #marksSpans: boolean;
  readonly #reach: number;
  readonly #starts = new DocumentStarts();
  /** Sentences under consideration, in order. */
  #entries: Entry[] = [];
  /** Number of entries that have been passed on. */
  #passed = 0;
  readonly #words = new Map<string, TypeCounts>();
  readonly #spans = new Map<string, TypeCounts>();
  /** Spans of several words, by each of their words. */
  readonly #longer = new Map<string, Set<NamedSpan>>();

  /**
   * @param marksSpans whether tags mark spans, with `B-X` and `I-X`
   * @param reach number of sentences considered before and after each sentence
   */
  constructor(marksSpans: boolean, reach = defaultReach) {
    this.#marksSpans = marksSpans;
    this.#reach = reach;
  }

  /** Number of sentences not yet passed on. */
  get pending(): number {
    return this.#entries.length - this.#passed;
  }

  /**
   * Adds the next sentence.
   *
   * @param tags the first model's predictions
   * @returns the sentences whose context is now complete
   */
  push(sentence: Sentence, tags: readonly string[]): Sentence[] {
    const before = this.#starts.startsAt(sentence) ? this.flush() : [];
    const entry = this.#entryOf(sentence, tags);
    this.#entries.push(entry);
    this.#count(entry, 1);
    const { index, count } = sentence.part;
    if (count > 1 && index === count - 1) return [...before, ...this.flush()];
    return this.pending > this.#reach ? [...before, this.#pass()] : before;
  }

  /** Passes on the remaining sentences at the end of their document. */
  flush(): Sentence[] {
    const rest: Sentence[] = [];
    while (this.pending > 0) rest.push(this.#pass());
    this.#entries = [];
    this.#passed = 0;
    this.#words.clear();
    this.#spans.clear();
    this.#longer.clear();
    return rest;
  }

  /** Adds the context to the next sentence, and passes it on. */
  #pass(): Sentence {
    if (this.#passed > this.#reach) {
      this.#count(this.#entries.shift()!, -1);
      this.#passed -= 1;
    }
    const entry = this.#entries[this.#passed]!;
    this.#passed += 1;
    this.#count(entry, -1);
    const context = this.#contextOf(entry);
    this.#count(entry, 1);
    return { ...entry.sentence, context: { ...entry.sentence.context, ...context } };
  }

  #contextOf({ words, spans, tags }: Entry) {
    const word = words.map(each => (each && this.#found(this.#words.get(each))) || nothing);
    const span = new Array<string>(words.length).fill(nothing);
    const longer = new Array<string>(words.length).fill(nothing);
    for (const named of spans) {
      const same = this.#found(this.#spans.get(keyOf(named.words)));
      const around = this.#found(this.#aroundOf(named.words));
      span.fill(same ?? nothing, named.start, named.end);
      longer.fill(around ?? nothing, named.start, named.end);
    }
    return { label: tags, word, span, longer };
  }

  #found(counts: TypeCounts | undefined): string | undefined {
    return counts && classOfTypes(counts);
  }

  /** Returns the type counts of the longer spans that contain these words. */
  #aroundOf(words: readonly string[]): TypeCounts {
    const counts: TypeCounts = new Map();
    for (const named of this.#longer.get(words[0]!) ?? []) {
      if (has(named.words, words)) counts.set(named.type, (counts.get(named.type) ?? 0) + 1);
    }
    return counts;
  }

  #entryOf(sentence: Sentence, tags: readonly string[]): Entry {
    const lower = sentence.tokens.map(token => token.toLowerCase());
    const words = sentence.tokens.map((token, t) =>
      this.#marksSpans && lower[t] === token ? undefined : lower[t],
    );
    const spans = !this.#marksSpans
      ? []
      : spansOf(tags).map(({ start, end, label }) => {
          return { start, end, type: label, words: lower.slice(start, end) };
        });
    return { sentence, tags, words, spans };
  }

  #count({ words, tags, spans }: Entry, by: 1 | -1): void {
    for (const [t, word] of words.entries()) {
      if (word === undefined) continue;
      countType(this.#words, word, typeOfTag(tags[t]!, this.#marksSpans), by);
    }
    for (const named of spans) {
      countType(this.#spans, keyOf(named.words), named.type, by);
      if (named.words.length > 1) this.#note(named, by);
    }
  }

  #note(named: NamedSpan, by: 1 | -1): void {
    for (const word of named.words) {
      const known = this.#longer.get(word) ?? new Set();
      if (by === 1) known.add(named);
      else known.delete(named);
      if (known.size > 0) this.#longer.set(word, known);
      else this.#longer.delete(word);
    }
  }
}

function keyOf(words: readonly string[]): string {
  return words.join(' ');
}

/** Returns whether a longer list contains another one contiguously. */
function has(longer: readonly string[], part: readonly string[]): boolean {
  if (longer.length <= part.length) return false;
  for (let from = 0; from + part.length <= longer.length; from += 1) {
    if (part.every((word, i) => longer[from + i] === word)) return true;
  }
  return false;
}
