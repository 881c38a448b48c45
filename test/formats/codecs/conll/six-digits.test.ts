import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { sixDigits } from '../../../../src/formats/codecs/conll/result-rows.js';

const numbers = [0, 1, 0.5, 0.98765432, 0.00009999999, 0.000099999, 1.5e-300, 1 / 3, 1e-5, 0.0001];

it('writes numbers as printf of C does', () => {
  const wanted = execFileSync('printf', ['%g\\n', ...numbers.map(String)], { encoding: 'utf8' });
  expect(numbers.map(sixDigits)).toEqual(wanted.split('\n').slice(0, -1));
});
