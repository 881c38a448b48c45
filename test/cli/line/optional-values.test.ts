import { describe, expect, it } from 'vitest';
import { optionalValues } from '../../../src/cli/command-line.js';

describe('options that may come without their value', () => {
  it.each([
    ['--marginals', '--marginals=chosen'],
    ['--marginals all', '--marginals=all'],
    ['--marginals chosen a', '--marginals=chosen a'],
    ['--marginals a all', '--marginals=chosen a all'],
    ['--marginals --nbest 3', '--marginals=chosen --nbest 3'],
    ['--marginals=all a', '--marginals=all a'],
    ['--no-marginals all', '--no-marginals all'],
    ['--nbest 3 -- --marginals all', '--nbest 3 -- --marginals all'],
  ])('%s', (given, expected) => {
    expect(optionalValues(given.split(' '))).toEqual(expected.split(' '));
  });
});
