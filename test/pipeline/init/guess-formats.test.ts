import { describe, expect, it } from 'vitest';
import type { Hints } from '../../../src/pipeline/init/guess/guess.js';
import { lookAtFile } from '../../../src/pipeline/init/look-at-file.js';

function guessed(text: string, hints: Hints = {}) {
  const bytes = Buffer.from(text);
  return lookAtFile({ bytes, whole: true, fileBytes: bytes.length }, 'file', hints);
}

const people = ['Ann', 'Ben', 'Eve', 'Max', 'Zoe', 'Tom', 'Una', 'Ida', 'Lea', 'Kai'];

describe('files of other formats', () => {
  it.each(['/', '_', '|'])('words with their tags after %s', separator => {
    const line = (who: string) => ['The/AT', `${who}/NP`, 'ran/VB', './.'].join(' ');
    const text = people.map(who => line(who).replaceAll('/', separator)).join('\n');
    const { format, options } = guessed(`${text}\n`);
    expect(format).toBe('slash');
    expect(options).toEqual(separator === '/' ? {} : { separator });
  });

  it('data of CRFsuite, whose attributes are not taken for tokens', () => {
    const items = people.map(
      (who, i) => `O\tw[-1]=${people[i - 1] ?? '_'}\tw[0]=${who}\tpos[0]=NN\tpos[1]=VB\tbias\n`,
    );
    const verbs = people.map(who => `O\tw[-1]=${who}\tw[0]=ran\tpos[0]=VB\n`);
    const { format, options, columns } = guessed(
      items.map((item, i) => `${item}${verbs[i]}\n`).join(''),
    );
    expect(format).toBe('crfsuite');
    expect(options).toEqual({ attributes: { form: 'w[0]', pos: 'pos[0]' } });
    expect(columns).toEqual([{ name: 'pos', holds: 'pos' }]);
  });

  it('attributes as sklearn-crfsuite has them', () => {
    const items = people.map(
      who => `O\tbias:1.0\tword.lower()=${who.toLowerCase()}\tword[-2:]=${who.slice(1)}\n`,
    );
    const { options } = guessed(`${items.join('')}\n`);
    expect(options).toEqual({ attributes: { form: 'word.lower()' } });
  });

  it('columns with a header', () => {
    const rows = people.map(
      (who, i) => `${who}\tNNP\tB-PER\nran\tVBD\tO\n${i % 3 === 0 ? '\n' : ''}`,
    );
    const { format, options, reasons } = guessed(`Word\tPOS\tNER\n${rows.join('')}`);
    expect(format).toBe('conll');
    expect(options).toEqual({
      columns: ['form', 'pos', 'tag'],
      separator: 'tab',
      comment: 'Word\tPOS\tNER',
    });
    expect(reasons).toContain('  the first line names the columns');
  });

  it('IOB1, which is read as BIO', () => {
    const text = 'Ann I-PER\nran O\n\nIn O\nOslo I-LOC\nBath B-LOC\nBen I-PER\n\n';
    expect(guessed(text).options).toEqual({ columns: ['form', 'tag'], iob1: true });
    expect(guessed(text.replace('Ann I-', 'Ann B-')).options).toEqual({ columns: ['form', 'tag'] });
  });

  it('JSON of annotation tools, an array or lines', () => {
    const record = { text: 'Go, Ann', label: [[4, 7, 'PER']] };
    for (const text of [
      `${JSON.stringify(record)}\n`,
      JSON.stringify([record, record], undefined, 1),
    ]) {
      expect(guessed(text).format).toBe('doccano');
    }
    expect(guessed('[{"tokens": ["a", "b"], "tags": ["X", "Y"]}]').format).toBe('ndjson');
  });
});
