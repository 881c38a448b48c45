import { expect, it } from 'vitest';
import { TagstreamError } from '../../src/core/errors.js';
import { explainSchema, WishReader, wishSchema } from '../../src/serve/requests/wish.js';
import { writtenForms } from '../../src/serve/threads/served-task.js';

const limits = { maxNbest: 10, timeout: 1000 };
const schemas = { tag: wishSchema(limits), explain: explainSchema(limits) };

/** Addresses that ask for different things, and for each another way to ask for the same. */
const queries = [
  ['', 'scores=false&output=record'],
  ['marginals=true', 'probability=false&marginals=true'],
  ['marginals=all', 'marginals=all&scores=false'],
  ['scores=true', 'scores=true&modelVersion=false'],
  ['nbest=2', 'nbest=2&scores=false'],
  ['nbest=3', 'nbest=3'],
  ['decoding=posterior', 'output=record&decoding=posterior'],
  ['dictionary=false', 'dictionary=false'],
  ['modelVersion=true', 'modelVersion=true'],
  ['textField=a', 'textField=a'],
  ['textField=b', 'textField=b'],
  ['into=a', 'into=a'],
  ['redact=x', 'redact=x'],
  ['redact=y', 'redact=y'],
  ['output=tags', 'output=tags'],
] as const;

it('requests have the same key, by which they are packed together, only if they ask for the same', () => {
  const asked = new Map<string, string>();
  let refused = 0;
  for (const form of writtenForms) {
    for (const same of queries) {
      const keys = same.map(query => {
        try {
          return new WishReader(schemas).read(query).wishFor(form).key;
        } catch (error) {
          expect(error).toBeInstanceOf(TagstreamError);
          refused += 1;
          return undefined;
        }
      });
      expect(keys[0], `${same}`).toBe(keys[1]);
      if (keys[0] === undefined) continue;
      const what = `${form} ${same[0]}`;
      expect(`${what}: as ${asked.get(keys[0])}`).toBe(`${what}: as undefined`);
      asked.set(keys[0], what);
    }
  }
  expect(asked.size).toBeGreaterThan(30);
  expect(refused).toBeGreaterThan(0);
});
