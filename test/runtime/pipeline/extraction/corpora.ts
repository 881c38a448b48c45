import { Random } from '../../../../src/engine/core/random.js';

const labels = ['DET', 'NOUN', 'VERB', 'ADJ'];

/** What else the records of a corpus have. */
interface Extras {
  /** A column of numbers. */
  readonly weights?: boolean;
  /** Each so many-th record is bad: by turns unreadable, without tokens, without the column. */
  readonly badEvery?: number;
  readonly blankEvery?: number;
  readonly unlabelledEvery?: number;
  /** Two of three records are labelled in part, and some have weights, each 50th one that is none. */
  readonly partly?: boolean;
  /** Characters that a record has beside its tokens. */
  readonly length?: number;
}

interface Drawn {
  readonly tokens: string[];
  readonly tags: string[];
  readonly weights: number[];
}

/** A vocabulary that keeps growing, so that each block brings new words and has old ones. */
function draw(random: Random, i: number, known = labels): Drawn {
  const numbers = Array.from({ length: 4 + random.below(12) }, () => random.below(50 + i));
  return {
    tokens: numbers.map(number => `word${number}`),
    tags: numbers.map(number => known[number % known.length]!),
    weights: numbers.map(number => (number % 4 === 0 ? 1 : number / 8)),
  };
}

/** Tags of which some are unknown or one of two, with labels that are only in such sets. */
function partly(random: Random, i: number, tags: readonly string[]) {
  const weight = [{}, { weight: 1 + (i % 5) / 2 }, { weight: i % 50 === 2 ? 'heavy' : 0 }][i % 3]!;
  if (i % 3 === 0) return { tags, ...weight };
  const known = tags.map(tag => [null, tag, [tag, `R${Math.floor(i / 30)}`]][random.below(3)]!);
  return { tags: known, ...weight };
}

/** Labelled records with tokens. */
export function ndjsonText(count: number, extras: Extras = {}): string {
  const random = new Random(5);
  const isAt = (i: number, every: number | undefined) =>
    every !== undefined && i % every === every - 1;
  let text = '';
  for (let i = 0; i < count; i += 1) {
    const { tokens, tags, weights } = draw(random, i);
    const columns = extras.weights === true ? { columns: { weight: weights } } : {};
    const given = extras.partly === true ? partly(random, i, tags) : { tags };
    const gold = isAt(i, extras.unlabelledEvery) ? {} : given;
    if (isAt(i, extras.blankEvery)) text += '  \n';
    // The rest of the line makes a record about as long as those of a real corpus.
    const record = { id: `r${i}`, tokens, ...gold, note: 'x'.repeat(extras.length ?? 500) };
    const lines = ['{"tokens": [', '{"text": " "}', JSON.stringify(record)];
    const line = isAt(i, extras.badEvery)
      ? lines[Math.floor(i / extras.badEvery!) % 3]
      : JSON.stringify({ ...record, ...columns });
    text += `${line}\n`;
  }
  return text;
}

/** Labelled records whose labels appear one by one over the whole corpus. */
export function lateLabels(count: number, length: number): string {
  const random = new Random(6);
  const lines = Array.from({ length: count }, (_, i) => {
    const known = Array.from({ length: 2 + Math.floor((i * 18) / count) }, (__, n) => `L${n}`);
    const { tokens, tags } = draw(random, i, known);
    return JSON.stringify({ id: `r${i}`, tokens, tags, note: 'x'.repeat(length) });
  });
  return `${lines.join('\n')}\n`;
}

/** Records with text, tokens of two sentences, and tags; and records with text alone, some of digits. */
export function textRecords(count: number, length: number): string {
  const random = new Random(7);
  const lines = Array.from({ length: count }, (_, i) => {
    const { tokens, tags } = draw(random, i);
    const text = tokens.join(' ');
    const ends = [0, 2, tokens.length];
    const sentences = ends.slice(1).map((end, part) => [ends[part], end]);
    const note = 'x'.repeat(length);
    if (i % 7 === 6) return JSON.stringify({ text: i % 2 === 0 ? '7 7' : text, note });
    return JSON.stringify({ text, tokens, sentences, tags, note });
  });
  return lines.join('\n');
}

/** Sentences in three columns, of words with so many further letters. */
export function columnText(count: number, letters: number): string {
  const random = new Random(8);
  const sentences = Array.from({ length: count }, (_, i) => {
    const { tokens, tags } = draw(random, i);
    return tokens
      .map((token, t) => `${'x'.repeat(letters)}${token} ${token.slice(-1)}P ${tags[t]}\n`)
      .join('');
  });
  return sentences.join('\n');
}
