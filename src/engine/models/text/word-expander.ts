import { packMinibatch } from '../../core/minibatch/pack-minibatch.js';
import type { Range } from '../../core/sentence/document.js';
import type { Sentence } from '../../core/sentence/sentence.js';
import type { StoredExpander } from '../../text/tokenizers/bundled-tokenizer.js';
import type { DividedWords } from '../../text/tokenizers/tokenizer.js';
import { Decoder } from '../decoding/decoder.js';
import type { Model } from '../model.js';

/** Label of a token that is itself a word. */
export const oneWord = '=';

/** Offsets of expansion templates: the token's neighbours in its sentence, in lower case. */
const offsets = [-2, -1, 1, 2] as const;

/** Templates of a model that predicts the words that a token expands to. */
export const expanderTemplates: readonly string[] = [
  ...['form', 'w-1', 'w1', 'w-2', 'w2', 's-1', 's1', 'p1'].map(name => `U${name}:%x[0,${name}]`),
  ...['w-1', 'w1', 'w-2', 's-1', 's1', 'p1'].map(name => `UV${name}:%x[0,form]/%x[0,${name}]`),
  ...['w-1', 's-1'].map(name => `UW${name}:%x[0,form]/%x[0,${name}]/%x[0,s1]`),
  'UW1:%x[0,form]/%x[0,w-1]/%x[0,w1]',
  'UW2:%x[0,form]/%x[0,w-2]/%x[0,w-1]',
  'UW3:%x[0,form]/%x[0,w1]/%x[0,w2]',
];

/** Returns a token as a sentence for the model, given the lower-case tokens of its sentence. */
export function tokenInContext(tokens: readonly string[], t: number): Sentence {
  const at = (offset: number) => tokens[t + offset] ?? (offset < 0 ? '<s>' : '</s>');
  const columns: Record<string, string[]> = {};
  for (const offset of offsets) columns[`w${offset}`] = [at(offset)];
  for (const offset of [-1, 1]) columns[`s${offset}`] = [at(offset).slice(-3)];
  columns.p1 = [at(1).slice(0, 3)];
  return {
    tokens: [tokens[t]!],
    columns,
    document: {},
    part: { index: 0, count: 1, start: 0 },
  };
}

/**
 * Expands tokens into words seen in the training data, such as `du` into `de` and `le`; a model chooses if
 * a token has several expansions or may be left unchanged.
 */
export class WordExpander {
  readonly #model: Model | undefined;
  readonly #words: ReadonlyMap<string, readonly string[]>;
  #decoder: Decoder | undefined;

  /** @param model the model of `stored.bytes`; undefined if no token is ambiguous */
  constructor(model: Model | undefined, { words }: StoredExpander) {
    this.#model = model;
    this.#words = new Map(Object.entries(words));
  }

  /** Returns the sentence with expanded tokens, or the given sentence if nothing expands. */
  expand(text: string, divided: DividedWords): DividedWords {
    const chosen = this.#chosen(text, divided);
    if (chosen.size === 0) return divided;
    const places: Range[] = [];
    const forms = new Map<number, string>();
    const multiword: Range[] = [];
    // New index of each word; the last entry is the number of words.
    const moved = new Uint32Array(divided.offsets.length + 1);
    for (const [t, range] of divided.offsets.entries()) {
      moved[t] = places.length;
      const words = chosen.get(t);
      if (words === undefined) {
        places.push(range);
        continue;
      }
      const first = places.length;
      for (const word of cased(words, text.slice(range[0], range[1]))) {
        forms.set(places.length, word);
        places.push(range);
      }
      multiword.push([first, places.length]);
    }
    moved[divided.offsets.length] = places.length;
    const at = ([from, to]: Range): Range => [moved[from]!, moved[to]!];
    for (const range of divided.multiword) multiword.push(at(range));
    multiword.sort(([a], [b]) => a - b);
    return { offsets: places, sentences: divided.sentences.map(at), multiword, forms };
  }

  /** Returns the words of each token that expands. */
  #chosen(text: string, { offsets: all, sentences, multiword }: DividedWords) {
    const chosen = new Map<number, readonly string[]>();
    const inside = new Set(multiword.flatMap(([from, to]) => [from, to - 1]));
    const asked: number[] = [];
    const contexts: Sentence[] = [];
    for (const [from, to] of sentences) {
      let tokens: string[] | undefined;
      for (let t = from; t < to; t += 1) {
        const [start, end] = all[t]!;
        const known = this.#words.get(text.slice(start, end).toLowerCase());
        if (known === undefined || inside.has(t)) continue;
        if (known.length === 1) {
          if (known[0] !== oneWord) chosen.set(t, known[0]!.split(' '));
          continue;
        }
        tokens ??= all.slice(from, to).map(([s, e]) => text.slice(s, e).toLowerCase());
        asked.push(t);
        contexts.push(tokenInContext(tokens, t - from));
      }
    }
    if (asked.length === 0 || this.#model === undefined) return chosen;
    for (const [i, label] of this.#labels(this.#model, contexts).entries()) {
      const known = this.#words.get(contexts[i]!.tokens[0]!)!;
      // Uses the most frequent expansion if the model predicts one that this token never had.
      const own = known.includes(label) ? label : known[0]!;
      if (own !== oneWord) chosen.set(asked[i]!, own.split(' '));
    }
    return chosen;
  }

  #labels(model: Model, contexts: readonly Sentence[]): string[] {
    this.#decoder ??= new Decoder(model.kernel, model);
    const { reported } = model.labels;
    const found: string[] = [];
    for (let from = 0; from < contexts.length; from += 256) {
      const batch = packMinibatch(
        contexts.slice(from, from + 256).map(context => model.encodeKnown(context)),
      );
      model.reserve();
      const { labels } = this.#decoder.decode(model.parameters, batch, { constraints: false });
      for (const label of labels.subarray(0, batch.tokens)) found.push(reported[label]!);
    }
    return found;
  }
}

/** Capitalises lower-case words like the token from which they come. */
function cased(words: readonly string[], token: string): readonly string[] {
  const [first = ''] = token;
  if (first === first.toLowerCase()) return words;
  if (token.length > 1 && token === token.toUpperCase()) {
    return words.map(word => word.toUpperCase());
  }
  const [head = '', ...rest] = words;
  const [initial = ''] = head;
  return [initial.toUpperCase() + head.slice(initial.length), ...rest];
}
