import { Random } from '../../../../src/engine/core/random.js';

const nouns = ['dog', 'cat', 'Anna', 'Dr. Low', 'house', 'river', 'U.S.', 'tea'];
const verbs = ['sees', 'likes', "doesn't", 'takes', 'finds'];
const ends = ['.', '!', '?', '...'];

/** Words that one token of the text consists of, where they are several. */
const words: Readonly<Record<string, readonly string[]>> = {
  "doesn't": ['does', "n't"],
  'Dr. Low': ['Dr.', 'Low'],
};

/**
 * Sentences of a small treebank in CoNLL-U, some in a paragraph: texts in which a tokenizer has something to learn.
 *
 * @param unspaced joins all tokens without a space, as in Chinese
 */
export function smallTreebank(count: number, seed: number, unspaced = false): string {
  const random = new Random(seed);
  const pick = <Item>(list: readonly Item[]) => list[random.next() % list.length]!;
  let text = '';
  for (let s = 0; s < count; s += 1) {
    if (s % 4 === 0) text += `# newpar\n`;
    text += `# sent_id = s${s}\n`;
    const tokens = ['The', pick(nouns), pick(verbs), 'a', pick(nouns)];
    if (s % 3 === 0) tokens.push(',', 'and', pick(nouns), '3,5');
    tokens.push(pick(ends));
    let id = 0;
    for (const [t, token] of tokens.entries()) {
      const next = tokens[t + 1];
      const isClosed = next !== undefined && /^[.,!?]+$/.test(next);
      const misc = isClosed || unspaced ? 'SpaceAfter=No' : '_';
      const own = token.includes(' ') ? words[token]! : [token];
      for (const [i, each] of own.entries()) {
        const parts = words[each];
        const isLast = i === own.length - 1;
        const spaces = isLast || unspaced ? misc : '_';
        if (parts !== undefined) {
          text += `${id + 1}-${id + parts.length}\t${each}\t_\t_\t_\t_\t_\t_\t_\t${spaces}\n`;
        }
        for (const word of parts ?? [each]) {
          id += 1;
          const tag = /^\p{L}/u.test(word) ? (verbs.includes(word) ? 'VERB' : 'X') : 'PUNCT';
          const own = parts === undefined ? spaces : '_';
          text += `${id}\t${word}\t_\t${tag}\t_\t_\t_\t_\t_\t${own}\n`;
        }
      }
    }
    text += '\n';
  }
  return text;
}

/** The same as records of CoNLL-U. */
export function treebankRecords(text: string): { raw: string; format: string }[] {
  const blocks = text.split('\n\n').filter(block => block !== '');
  return blocks.map(raw => ({ raw, format: 'conllu upos' }));
}
