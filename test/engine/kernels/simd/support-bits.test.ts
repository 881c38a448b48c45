import { describe, expect, it } from 'vitest';
import { LinearMemory } from '../../../../src/engine/kernels/memory/linear-memory.js';
import { SupportBits } from '../../../../src/engine/kernels/simd/simd-memory.js';
import { Support } from '../../../../src/engine/kernels/store/support.js';

const width = 36;
const rows = 5;

/** The bits as (row, label) pairs. */
function pairsOf(memory: LinearMemory, bits: SupportBits, support: Support): string[] {
  const address = bits.of(support, rows, width);
  const words = new Uint32Array(memory.buffer, address, bits.words * rows);
  const found: string[] = [];
  for (let row = 0; row < rows; row += 1) {
    for (let y = 0; y < width; y += 1) {
      if ((words[row * bits.words + (y >>> 5)]! >>> (y & 31)) & 1) found.push(`${row},${y}`);
    }
  }
  return found;
}

function following() {
  const memory = new LinearMemory();
  const support = new Support(width);
  support.reserve(rows, 4);
  return { memory, support, bits: new SupportBits(memory) };
}

describe('bits of the pairs that may have a weight', () => {
  it('follow what is allowed one by one, and hold on to none of it', () => {
    const { memory, support, bits } = following();
    support.allowState(1, 2);
    expect(pairsOf(memory, bits, support)).toEqual(['1,2']);
    for (const [row, y] of [
      [0, 35],
      [1, 2],
      [4, 31],
      [0, 35],
    ] as const)
      support.allowState(row, y);
    expect(pairsOf(memory, bits, support)).toEqual(['0,35', '1,2', '4,31']);
    expect(support.added).toEqual([]);
  });

  it('follow a state that is restored, and two followers in turn', () => {
    const { memory, support, bits } = following();
    const others = new SupportBits(memory);
    support.allowState(0, 0);
    expect(pairsOf(memory, bits, support)).toEqual(['0,0']);
    expect(pairsOf(memory, others, support)).toEqual(['0,0']);
    support.allowState(2, 1);
    expect(pairsOf(memory, others, support)).toEqual(['0,0', '2,1']);
    expect(pairsOf(memory, bits, support)).toEqual(['0,0', '2,1']);
    const state = new Uint8Array(rows * width);
    state[3 * width + 7] = 1;
    support.restore(state, new Uint8Array(4 * width));
    expect(pairsOf(memory, bits, support)).toEqual(['3,7']);
  });

  it('are those of the support that is asked about', () => {
    const { memory, support, bits } = following();
    const another = new Support(width);
    another.reserve(rows, 4);
    support.allowState(0, 1);
    another.allowState(1, 1);
    expect(pairsOf(memory, bits, support)).toEqual(['0,1']);
    expect(pairsOf(memory, bits, another)).toEqual(['1,1']);
    support.allowState(2, 2);
    expect(pairsOf(memory, bits, support)).toEqual(['0,1', '2,2']);
  });
});
