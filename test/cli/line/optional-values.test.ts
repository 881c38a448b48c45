import { describe, expect, it } from 'vitest';
import { optionalValues } from '../../../src/cli/command-line.js';
import { everyNth } from '../../house/long-forms.js';

describe('options that may come without their value', () => {
  for (const { rows, tags } of everyNth(5, [
    ['--marginals', '--marginals=chosen'],
    ['--marginals all', '--marginals=all'],
    ['--marginals chosen a', '--marginals=chosen a'],
    ['--marginals a all', '--marginals=chosen a all'],
    ['--marginals --nbest 3', '--marginals=chosen --nbest 3'],
    ['--marginals=all a', '--marginals=all a'],
    ['--no-marginals all', '--no-marginals all'],
    ['--nbest 3 -- --marginals all', '--nbest 3 -- --marginals all'],
  ])) {
    it.each(rows)('%s', { tags }, (given, expected) => {
      expect(optionalValues(given.split(' '))).toEqual(expected.split(' '));
    });
  }
});
