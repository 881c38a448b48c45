import { describe, expect, it } from 'vitest';
import { presetTemplates } from '../../../../src/engine/features/presets/preset-templates.js';
import { presets } from '../../../../src/engine/features/presets/presets.js';
import { parseTemplates } from '../../../../src/engine/features/template/parse-templates.js';
import type { Macro } from '../../../../src/engine/features/template/template.js';
import { createModel } from '../../../../src/engine/models/create-model.js';
import { sentenceOf } from '../sentence-of.js';

const names = presets.map(({ name }) => name);

/** Columns that the templates of a preset look at. */
function columnsOf(text: string): Set<number | string> {
  const pieces = parseTemplates(text).templates.flatMap(template => template.pieces);
  const macros = pieces.filter((piece): piece is Macro => typeof piece !== 'string');
  return new Set(macros.map(macro => macro.column));
}

/** Share of the features of `token` that were known from `seen`, in percent. */
function shared(name: string, seen: string, token: string): number {
  const model = createModel({ templates: presetTemplates(name) });
  const all = model.encode(sentenceOf([seen], { tags: ['X'] })).stateRows.length;
  return (100 * model.encodeKnown(sentenceOf([token])).stateRows.length) / all;
}

describe('presetTemplates', () => {
  it('knows a preset for each task', () => {
    expect(names).toEqual(['pos', 'chunk', 'ner', 'chunk-small', 'ner-small', 'ner-medium']);
  });

  it.each(names)('%s reads as templates, with transitions and a bias', name => {
    for (const columns of [['form'], ['form', 'pos']]) {
      const { templates, transitions } = parseTemplates(presetTemplates(name, columns));
      expect(transitions).toBe(true);
      expect(templates.filter(({ kind }) => kind !== 'state')).toEqual([]);
      expect(
        templates.filter(({ pieces }) => pieces.every(p => typeof p === 'string')),
      ).toHaveLength(1);
    }
  });

  it.each(names)('%s asks for the word alone where that is all there is', name => {
    expect(columnsOf(presetTemplates(name))).toEqual(new Set([0]));
    expect(columnsOf(presetTemplates(name, ['form', 'lemma', 'misc']))).toEqual(new Set([0]));
  });

  it.each(['chunk', 'ner'])('%s uses parts of speech where there are any', name => {
    expect(columnsOf(presetTemplates(name, ['form', 'pos']))).toEqual(new Set([0, 'pos']));
    expect(columnsOf(presetTemplates(name, ['form', 'xpos']))).toEqual(new Set([0, 'xpos']));
    const both = presetTemplates(name, ['form', 'lemma', 'xpos', 'upos']);
    expect(columnsOf(both)).toEqual(new Set([0, 'upos']));
  });

  it.each(['pos', 'chunk'])('%s has no macros under two names, which would count twice', name => {
    for (const columns of [['form'], ['form', 'pos']]) {
      const { templates } = parseTemplates(presetTemplates(name, columns));
      const macros = templates.map(({ source }) => source.replace(/^U\d*:/, ''));
      expect(macros.filter((each, i) => macros.indexOf(each) !== i)).toEqual([]);
    }
  });

  it('ner has the words before and behind under one name each', () => {
    const text = presetTemplates('ner');
    expect(text).toContain('\nU200:%lower[-4,0]\nU200:%lower[-3,0]\nU200:%lower[-2,0]\n');
    expect(text).toContain('\nU300:%lower[1,0]\nU300:%lower[2,0]\n');
  });

  it('never takes parts of speech from parts of speech', () => {
    expect(presetTemplates('pos', ['form', 'pos'])).toBe(presetTemplates('pos'));
  });

  it('names features by their section, so that more lines in one leave the others as they are', () => {
    const text = presetTemplates('pos');
    expect(text).toContain('\nU000:%x[-1,0]\nU001:%x[0,0]\n');
    expect(text).toContain('\nU100:%lower[-1,0]/%lower[0,0]\n');
    expect(text).toContain('\nU200:%prefix[0,0,1]\n');
    expect(text.endsWith('\nU:\nB\n')).toBe(true);
  });

  it.each(names)('%s sees in other alphabets what it sees in this one', name => {
    const alike = shared(name, 'LONDON', 'МОСКВА');
    expect(alike).toBeGreaterThan(shared(name, 'LONDON', 'Москва'));
    expect(alike).toBeGreaterThan(shared(name, 'LONDON', '123'));
    // Case apart, a word is the same word: 'ÉTÉ' has the ends of 'été'.
    expect(shared(name, 'ÉTÉ', 'été')).toBeGreaterThan(shared(name, 'ÉTÉ', 'eta'));
    expect(shared(name, 'ΑΘΗΝΑ', 'αθηνα')).toBeGreaterThan(shared(name, 'ΑΘΗΝΑ', 'βοττο'));
  });

  it('says which preset was meant', () => {
    expect(() => presetTemplates('nre')).toThrow(/there is no preset "nre".*did you mean ner\?/s);
    expect(() => presetTemplates('chunks')).toThrow(/known: pos, chunk, ner/);
  });
});
