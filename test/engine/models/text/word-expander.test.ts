import { describe, expect, it } from 'vitest';
import type { Range } from '../../../../src/engine/core/sentence/document.js';
import { WordExpander } from '../../../../src/engine/models/text/word-expander.js';
import type { DividedWords } from '../../../../src/engine/text/tokenizers/tokenizer.js';
import { conlluCodec } from '../../../../src/formats/codecs/conllu/conllu-codec.js';
import { RawText } from '../../../../src/formats/codecs/conllu/raw-text.js';
import { surfaceWords } from '../../../../src/formats/codecs/conllu/surface-words.js';
import { learnTokenizer } from '../../../../src/runtime/pipeline/text/learn-tokenizer.js';
import { treebankRecords } from '../../text/characters/small-treebank.js';

/** `du` is always two words; `des` is two after `parle`, and one after `voit`. */
function frenchTreebank(count: number): string {
  const people = ['Elle', 'Anna', 'Il'];
  const things = ['chats', 'chiens', 'lacs', 'trains'];
  let text = '';
  for (let s = 0; s < count; s += 1) {
    const verb = s % 2 === 0 ? 'parle' : 'voit';
    const token = s % 4 === 0 ? 'du' : 'des';
    const words = token === 'du' ? ['de', 'le'] : verb === 'parle' ? ['de', 'les'] : [token];
    let id = 0;
    const row = (form: string, misc = '_') => {
      id += 1;
      text += `${id}\t${form}\t_\tX\t_\t_\t_\t_\t_\t${misc}\n`;
    };
    row(people[s % 3]!);
    row(verb);
    if (words.length > 1) text += `${id + 1}-${id + 2}\t${token}\t_\t_\t_\t_\t_\t_\t_\t_\n`;
    for (const word of words) row(word);
    row(things[Math.floor(s / 4) % things.length]!, 'SpaceAfter=No');
    row('.');
    text += '\n';
  }
  return text;
}

const raw = new RawText();
for (const record of treebankRecords(frenchTreebank(160))) raw.add(record);
const learned = await learnTokenizer(raw.gold, { locale: 'fr', seed: 1 });

const wordsOf = (text: string) => {
  const { offsets, forms } = learned.divide(text);
  return offsets.map(([start, end], t) => forms.get(t) ?? text.slice(start, end));
};

describe('tokens that stand for other words', () => {
  it('become the words that they stood for in training, by what is around them', () => {
    expect(wordsOf('Anna parle du lacs. Elle parle des trains. Il voit des chats.')).toEqual([
      ...['Anna', 'parle', 'de', 'le', 'lacs', '.'],
      ...['Elle', 'parle', 'de', 'les', 'trains', '.'],
      ...['Il', 'voit', 'des', 'chats', '.'],
    ]);
  });

  it('keep their place, their capitals and their sentence', () => {
    const text = 'Du lac. Anna voit DU lac.';
    const offsets: Range[] = [...text.matchAll(/\w+|\./g)].map(({ index, 0: word }) => [
      index,
      index + word.length,
    ]);
    const divided = {
      offsets,
      sentences: [
        [0, 3],
        [3, 8],
      ],
      multiword: [[3, 5]],
      forms: new Map(),
    };
    const expander = new WordExpander(undefined, { words: { du: ['de le'] } });
    const found = expander.expand(text, divided as unknown as DividedWords);
    expect([...found.forms]).toEqual([
      ...[
        [0, 'De'],
        [1, 'le'],
        [6, 'DE'],
        [7, 'LE'],
      ],
    ]);
    expect(found.sentences).toEqual([
      [0, 4],
      [4, 10],
    ]);
    expect(found.multiword).toEqual([
      [0, 2],
      [4, 6],
      [6, 8],
    ]);
    expect([0, 1, 6, 7].map(t => text.slice(...found.offsets[t]!))).toEqual([
      ...['Du', 'Du', 'DU', 'DU'],
    ]);
  });

  it('are ranges in CoNLL-U, which gives the text back', () => {
    const text = 'Anna parle du lacs.  Il voit des trains.\nElle parle des chats.';
    const { offsets, sentences, multiword } = learned.divide(text);
    const tokens = wordsOf(text);
    const tags = tokens.map(() => 'X');
    const written = conlluCodec().write(
      { ...{ document: { id: 'a', text }, tokens, offsets, sentences, multiword, tags } },
      { ofText: true },
    );
    expect(written).toContain('\n3-4\tdu\t_\t_\t_\t_\t_\t_\t_\t_\n3\tde\t_\tX');
    expect(written).toContain('.\t_\tX\t_\t_\t_\t_\t_\tSpacesAfter=\\s\\s\n');
    const read = new RawText();
    const records = treebankRecords(written);
    for (const record of records) read.add(record);
    expect(read.gold.text.trim()).toBe(text.trim());
    expect(records.map(({ raw: block }) => /# sent_id = (.*)/.exec(block)![1])).toEqual([
      ...['a-1', 'a-2', 'a-3'],
    ]);
    const surface = records.flatMap(({ raw: block }) => surfaceWords(block));
    expect(surface.filter(({ words }) => words.length > 0).map(({ form }) => form)).toEqual([
      ...['du', 'des'],
    ]);
  });
});
