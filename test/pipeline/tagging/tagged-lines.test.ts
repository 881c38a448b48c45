import { expect, it } from 'vitest';
import { Random } from '../../../src/core/random.js';
import { LinearMemory } from '../../../src/kernels/memory/linear-memory.js';
import { TaggedLines } from '../../../src/pipeline/tagging/tagged-lines.js';
import { bytesOf } from '../../io/sources/read-all.js';

it('writes labels as JSON does, however many there are and wherever ids stand', () => {
  const random = new Random(2);
  const labels = ['O', 'B-é😀', '"\\\n', 'x'.repeat(50), '', 'I-LONGER-THAN-16-BYTES'];
  const memory = new LinearMemory();
  const id = bytesOf('"the \\"id\\""');
  const place = memory.allocate(id.length);
  const lines = new TaggedLines(memory, labels);
  for (let round = 0; round < 3; round += 1) {
    let wanted = '';
    for (let batch = 0; batch < 40; batch += 1) {
      const picks = Int32Array.from({ length: 500 }, () => random.below(labels.length));
      lines.open(picks);
      for (let from = 0; from < 500; ) {
        const to = Math.min(500, from + 1 + random.below(200));
        const tags = JSON.stringify(Array.from(picks.subarray(from, to), y => labels[y]!));
        const hasId = random.below(2) === 0;
        new Uint8Array(memory.buffer, place, id.length).set(id);
        if (hasId) lines.add(from, to, place, id.length);
        else lines.add(from, to);
        wanted += hasId ? `{"id":"the \\"id\\"","tags":${tags}}\n` : `{"tags":${tags}}\n`;
        from = to;
      }
      lines.addBytes(bytesOf('other\n'));
      wanted += 'other\n';
    }
    expect(lines.length).toBe(Buffer.byteLength(wanted));
    expect(new TextDecoder().decode(lines.take())).toBe(wanted);
  }
});
