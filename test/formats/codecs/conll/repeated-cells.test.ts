import { expect, it } from 'vitest';
import { RepeatedCells, splitRow } from '../../../../src/formats/codecs/conll/conll-layout.js';

it('gives the cells of each row as they are, short or long, known or not', () => {
  const cells = new RepeatedCells('tab');
  for (let round = 0; round < 2; round += 1) {
    for (let i = 0; i < 40_000; i += 1) {
      const text = `w${i}${i % 3 === 0 ? '-a-long-compound'.repeat(i % 7) : ''}`;
      const [found, tag] = cells.of(`${text}\tNN`);
      if (found !== text || tag !== 'NN') expect([found, tag]).toEqual([text, 'NN']);
    }
  }
  for (const row of ['', '\t', 'é\t😀\tB-NP', '__proto__', '__proto__\tconstructor']) {
    expect(cells.of(row)).toEqual(splitRow(row, 'tab'));
    expect(cells.of(row)).toEqual(splitRow(row, 'tab'));
  }
});
