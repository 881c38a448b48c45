import { describe, expect, it } from 'vitest';
import { conlluCodec } from '../../../../src/io/codecs/conllu/conllu-codec.js';
import { RawText } from '../../../../src/io/codecs/conllu/raw-text.js';
import {
  escapedSpaces,
  isSpacedAfter,
  spacesIn,
} from '../../../../src/io/codecs/conllu/surface-words.js';
import { dividerOf } from '../../../../src/text/divide-text.js';

const divide = dividerOf();
const codec = conlluCodec();

function written(text: string): string {
  const { tokens, offsets, sentences } = divide(text);
  const tags = tokens.map(() => 'X');
  const document = { id: 'a', text };
  return codec.write({ document, tokens, offsets, sentences, tags }, { ofText: true });
}

function textIn(lines: string): string {
  const all = new RawText();
  for (const raw of lines.slice(0, -2).split('\n\n')) all.add({ raw, format: 'conllu upos' });
  return all.gold.text;
}

describe('white space in CoNLL-U', () => {
  it.each([
    ['It rains. Go!', []],
    [' \tIt rains.', ['SpacesBefore=\\s\\t', 'SpaceAfter=No']],
    ['It  rains\u3000now.\n', ['SpacesAfter=\\s\\s', 'SpacesAfter=\\u3000', 'SpacesAfter=\\n']],
    ['One.\r\n\r\nTwo\\|x.\n \nThree. ', ['SpacesAfter=\\r\\n\\r\\n', 'SpacesAfter=\\n\\s\\n']],
    ['\n\nA.\n\n\nB\u00a0\u2028C\u0085D', ['SpacesBefore=\\n\\n', 'SpacesAfter=\\n\\n\\n']],
    ['A. B', []],
  ])('%j is written so that it reads back', (text, said) => {
    const lines = written(text);
    for (const each of said) expect(lines).toContain(each);
    if (said.length === 0) expect(lines).not.toMatch(/Spaces/);
    expect(textIn(lines)).toBe(text);
  });

  it('is read as UDPipe writes it', () => {
    expect(spacesIn('SpacesAfter=\\s\\t\\n\\r\\p\\\\n', 'SpacesAfter')).toBe(' \t\n\r|\\n');
    expect(spacesIn('Gloss=a|SpacesAfter=\u00a0|x=y', 'SpacesAfter')).toBe('\u00a0');
    expect(spacesIn('SpacesAfter=\\s|SpacesBefore=\\t', 'SpacesBefore')).toBe('\t');
    for (const misc of ['_', 'SpaceAfter=No', 'XSpacesAfter=\\s', 'x=SpacesAfter=1'])
      expect(spacesIn(misc, 'SpacesAfter'), misc).toBeUndefined();
    const all = ' \t\n\r|\\\u3000\u00a0\u0000\ud800';
    expect(spacesIn(`SpacesAfter=${escapedSpaces(all)}`, 'SpacesAfter')).toBe(all);
    expect(escapedSpaces(all)).toMatch(/^[!-{}~]+$/);
  });

  it('follows a token unless an item of MISC says no', () => {
    const items = ['_', 'SpaceAfter=No', 'SpacesAfter=', 'SpaceAfter=Yes', 'SpacesAfter=\\n'];
    const others = ['CorrectSpaceAfter=No', 'x=SpaceAfter=No', 'SpaceAfter=None', 'XSpacesAfter='];
    const all = [...items, ...others];
    for (const first of all) {
      for (const second of all) {
        const said = [first, second];
        const isSpaced = !said.includes('SpaceAfter=No') && !said.includes('SpacesAfter=');
        expect(isSpacedAfter(said.join('|')), said.join('|')).toBe(isSpaced);
      }
    }
  });
});
