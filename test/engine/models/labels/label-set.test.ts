import { describe, expect, it } from 'vitest';
import { LabelSet } from '../../../../src/engine/models/labels/label-set.js';

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

  it('has as many numbers for a label as it has states, and a name for each state', () => {
    const labels = new LabelSet(['O', 'B'], 3);
    expect(labels.intern('I')).toBe(6);
    expect(labels.size).toBe(9);
    expect(labels.names.slice(2, 7)).toEqual(['O', 'B', 'B', 'B', 'I']);
    expect(labels.tags).toEqual(['O', 'B', 'I']);
    expect(labels.columnNames.slice(3)).toEqual(['B#1', 'B#2', 'B#3', 'I#1', 'I#2', 'I#3']);
    expect([labels.find('B'), labels.find('B#1')]).toEqual([3, -1]);
    labels.truncate(3);
    expect([labels.tags, labels.find('B'), labels.intern('C')]).toEqual([['O'], -1, 3]);
  });

  it('is read from the names of states, and from no others', () => {
    const labels = new LabelSet(['a', 'a#1', 'a#2', ''], 2);
    const read = LabelSet.ofStates(labels.columnNames, 2)!;
    expect([read.tags, read.states, read.size]).toEqual([labels.tags, 2, 8]);
    expect(LabelSet.ofStates(['a', 'b'])!.names).toEqual(['a', 'b']);
    for (const names of [
      ['a'],
      ['a#1'],
      ['a#1', 'b#2'],
      ['a', 'a'],
      ['a#2', 'a#1'],
      ['a#1', 'a#2', 'a#1', 'a#2'],
    ]) {
      expect(LabelSet.ofStates(names, 2)).toBeUndefined();
    }
  });
});
