import { expect, it } from 'vitest';
import { Random } from '../../../../src/core/random.js';
import { JsonText } from '../../../../src/io/codecs/ndjson/json-text.js';

it('of members that are duplicate the last is changed, and the others go', () => {
  const random = new Random(4);
  const keys = ['a', 'b', 'c'];
  for (let i = 0; i < 300; i += 1) {
    const members = Array.from({ length: random.below(6) }, (_, at) => ({
      key: keys[random.below(3)]!,
      value: `${at}.0`,
    }));
    const raw = `{${members.map(({ key, value }) => `"${key}":${value}`).join(',')}}`;
    const changes: Record<string, number | undefined> = {};
    for (const key of ['a', 'd']) {
      if (random.below(2) === 0) changes[key] = random.below(3) === 0 ? undefined : 9;
    }
    const isLast = (key: string, at: number) => members.findLastIndex(m => m.key === key) === at;
    const expected = [
      ...members.flatMap(({ key, value }, at) => {
        if (!Object.hasOwn(changes, key)) return [`"${key}":${value}`];
        return changes[key] !== undefined && isLast(key, at) ? [`"${key}":9`] : [];
      }),
      ...Object.entries(changes)
        .filter(([key, value]) => value !== undefined && members.every(m => m.key !== key))
        .map(([key]) => `"${key}":9`),
    ];
    expect(new JsonText(raw).with(changes).text, raw).toBe(`{${expected.join(',')}}`);
  }
});
