import { describe, expect, it } from 'vitest';
import { Support } from '../../../../src/engine/kernels/store/support.js';

/** What is allowed, as `row-label`. */
function allowed(bytes: Uint8Array, width: number): string[] {
  return Array.from(bytes.entries())
    .filter(([, byte]) => byte === 1)
    .map(([i]) => `${Math.floor(i / width)}-${i % width}`);
}

describe('Support', () => {
  it('allows nothing at first, and then what it is given', () => {
    const support = new Support(4);
    support.reserve(3, 4);
    expect([support.state.length, support.transitions.length]).toEqual([12, 16]);
    expect(allowed(support.state, 4)).toEqual([]);
    support.allowState(0, 1);
    support.allowState(2, 3);
    support.allowState(2, 3);
    support.allowTransition(3, 0);
    expect(allowed(support.state, 4)).toEqual(['0-1', '2-3']);
    expect(allowed(support.transitions, 4)).toEqual(['3-0']);
  });

  it('keeps all of it when rows are added and when they are laid out anew', () => {
    const support = new Support(4);
    support.reserve(3, 4);
    for (let row = 0; row < 3; row += 1) support.allowState(row, row + 1);
    support.allowTransition(0, 3);
    support.allowTransition(3, 3);
    support.reserve(100, 4);
    support.relayout(16);
    support.reserve(100, 16);
    expect(support.state.length).toBeGreaterThanOrEqual(1600);
    expect(support.transitions.length).toBeGreaterThanOrEqual(256);
    expect(allowed(support.state, 16)).toEqual(['0-1', '1-2', '2-3']);
    expect(allowed(support.transitions, 16)).toEqual(['0-3', '3-3']);
    support.allowState(99, 15);
    support.allowTransition(15, 15);
    expect(allowed(support.state, 16)).toEqual(['0-1', '1-2', '2-3', '99-15']);
    expect(allowed(support.transitions, 16)).toEqual(['0-3', '3-3', '15-15']);
  });

  it('goes back to saved bytes, which stay as they are', () => {
    const saved = Uint8Array.of(0, 1, 0, 0);
    const support = new Support(4);
    support.restore(saved, new Uint8Array(16));
    support.allowState(0, 0);
    expect(allowed(support.state, 4)).toEqual(['0-0', '0-1']);
    expect(Array.from(saved)).toEqual([0, 1, 0, 0]);
  });
});
