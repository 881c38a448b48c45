import { describe, expect, it } from 'vitest';
import { allStates, statesOfGold } from '../../../../src/engine/models/labels/allowed-labels.js';

describe('the states that labels may be in', () => {
  it('are all those of each label, and none where nothing is known', () => {
    const allowed = { starts: Uint32Array.of(0, 2, 2, 3), labels: Uint32Array.of(6, 0, 3) };
    expect(allStates(allowed, 3)).toEqual({
      starts: Uint32Array.of(0, 6, 6, 9),
      labels: Uint32Array.of(6, 7, 8, 0, 1, 2, 3, 4, 5),
    });
  });

  it('are those of gold labels, where all of these are known', () => {
    expect(statesOfGold(Int32Array.of(2, 0), 2)).toEqual({
      starts: Uint32Array.of(0, 2, 4),
      labels: Uint32Array.of(2, 3, 0, 1),
    });
    expect(statesOfGold(Int32Array.of(2, -1), 2)).toBeUndefined();
  });
});
