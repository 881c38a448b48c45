import { describe, expect, it } from 'vitest';
import { LabelSet } from '../../../src/models/labels/label-set.js';

describe('LabelSet', () => {
  it('numbers labels in the order in which they were first seen', () => {
    const labels = new LabelSet();
    expect(['O', 'B', 'O', 'I', 'B'].map(name => labels.intern(name))).toEqual([0, 1, 0, 2, 1]);
    expect(labels.names).toEqual(['O', 'B', 'I']);
    expect(labels.size).toBe(3);
    expect([0, 1, 2].map(number => labels.name(number))).toEqual(['O', 'B', 'I']);
  });

  it('finds those it has, and none else', () => {
    const labels = new LabelSet(['a', 'b', 'a']);
    expect(labels.size).toBe(2);
    expect(['b', 'a', 'c', '', '__proto__', 'constructor'].map(name => labels.find(name))).toEqual([
      1, 0, -1, -1, -1, -1,
    ]);
    expect(labels.intern('__proto__')).toBe(2);
    expect(labels.find('__proto__')).toBe(2);
  });
});
