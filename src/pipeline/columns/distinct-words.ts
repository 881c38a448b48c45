import type { Column } from '../../core/sentence/document.js';
import type { Sentence } from '../../core/sentence/sentence.js';

/** A word with the columns that distinguish it, and how often it has each label. */
interface Word {
  readonly form: string;
  readonly columns: Readonly<Record<string, Column>>;
  readonly labels: Map<string, number>;
}

/**
 * Returns each distinct word of labelled sentences, as a sentence of one token with its most frequent label, in order of first
 * occurrence; skips tokens without a label.
 *
 * @param columns columns in which distinct words may differ
 */
export function distinctWords(
  sentences: readonly Sentence[],
  columns: readonly string[],
): Sentence[] {
  const words = new Map<string, Word>();
  for (const { tokens, columns: all, tags, partialTags } of sentences) {
    for (const [t, label] of (tags ?? partialTags ?? []).entries()) {
      if (typeof label !== 'string') continue;
      const form = tokens[t]!;
      const own = columns.map(name => all[name]?.[t]);
      const key = JSON.stringify([form, ...own]);
      let word = words.get(key);
      if (word === undefined) {
        const values = columns.flatMap((name, i) =>
          own[i] === undefined ? [] : [[name, [own[i]]]],
        );
        word = { form, columns: Object.fromEntries(values), labels: new Map() };
        words.set(key, word);
      }
      word.labels.set(label, (word.labels.get(label) ?? 0) + 1);
    }
  }
  const part = { index: 0, count: 1, start: 0 };
  return [...words.values()].map(({ form, columns: own, labels }) => {
    const [[label] = ['']] = [...labels].sort(([, a], [, b]) => b - a);
    return { tokens: [form], columns: own, tags: [label], document: {}, part };
  });
}
