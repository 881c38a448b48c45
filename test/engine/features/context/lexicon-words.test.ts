import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Lexicon, type StoredLexicon } from '../../../../src/engine/features/context/lexicon.js';
import { LexiconWords } from '../../../../src/engine/features/context/lexicon-words.js';

const bytesOf = (text: string) => new TextEncoder().encode(text);
const text = fc.string({ unit: 'binary', maxLength: 5 });
const stored = fc.array(fc.tuple(text, fc.array(text)));
const never = (): StoredLexicon => {
  throw new Error('parsed');
};

describe('LexiconWords', () => {
  it('finds the classes that a map finds, for all texts', () => {
    fc.assert(
      fc.property(stored, fc.array(text), (classes, others) => {
        const json = bytesOf(JSON.stringify(classes));
        const read = new Lexicon(() => classes, false, json);
        const words = [...others, ...classes.flatMap(([, own]) => own)];
        expect(read.columnOf(words)).toEqual(new Lexicon(classes, false).columnOf(words));
      }),
    );
  });

  it('parses nothing where words have letters, quotation marks and backslashes', () => {
    const classes: StoredLexicon = [
      ['A"!1', ['oslo', '"', '\\', 'z\u00fcrich', '\t', '\u{1f600}', 'x'.repeat(300)]],
      ['none', []],
      ['B', ['oslo', 'a\\', 'a']],
    ];
    const lexicon = new Lexicon(never, false, bytesOf(JSON.stringify(classes)));
    const words = ['Oslo', '"', '\\', 'ZÜRICH', '\t', '\u{1f600}', 'x'.repeat(300), 'a\\', 'a'];
    const found = ['B', ...Array.from({ length: 6 }, () => 'A"!1'), 'B', 'B'];
    expect(lexicon.columnOf(words)).toEqual(found);
    expect(lexicon.columnOf(['osl', 'oslo1', '', 'B', '\ud800', '\ufffd'])).toEqual(
      Array.from({ length: 6 }, () => '-'),
    );
  });

  it.each(['', '[', '[]]', '[["A"]]', '[["A",["b"]],]', '[["A",["b",]]]', '[["A",["b"]]', '{}'])(
    'leaves %j to the parser, which reports it',
    json => {
      expect(LexiconWords.of(bytesOf(json))).toBeUndefined();
      expect(() => new Lexicon(never, false, bytesOf(json)).classOf('b')).toThrow('parsed');
    },
  );

  it.each([
    ['white space', bytesOf('[["A", ["b"]]]')],
    ['an escape by number', bytesOf('[["A",["\\u0062"]]]')],
    ['a control character', bytesOf('[["A",["b\n"]]]')],
    ['bytes that are not UTF-8', Uint8Array.of(...bytesOf('[["A",["'), 0xff, ...bytesOf('"]]]'))],
  ])('leaves JSON with %s to the parser', (_, json) => {
    expect(LexiconWords.of(json)).toBeUndefined();
  });
});
