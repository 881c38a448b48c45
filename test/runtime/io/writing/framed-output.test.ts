import { describe, expect, it } from 'vitest';
import { framedOutput, type Output } from '../../../../src/runtime/io/writing/open-output.js';

const frame = { head: '<', tail: '>' };

/** An output that keeps what comes, and fails at a text that it is given. */
function memory(failure?: { at: string; code: string }) {
  const events: string[] = [];
  const output: Output = {
    name: 'memory',
    write: (text, done) => {
      events.push(String(text));
      if (text === failure?.at) done(Object.assign(new Error('no'), { code: failure.code }));
      else done();
    },
    commit: async () => void events.push('commit'),
    abort: async () => void events.push('abort'),
  };
  return { events, output };
}

describe('framedOutput', () => {
  it('writes the head once, before the first text, and the tail before it commits', async () => {
    const { events, output } = memory();
    const framed = framedOutput(output, frame);
    let done = 0;
    framed.write('a', () => (done += 1));
    framed.write('b', () => (done += 1));
    await framed.commit();
    expect(events).toEqual(['<', 'a', 'b', '>', 'commit']);
    expect([done, framed.name]).toEqual([2, 'memory']);
  });

  it('frames nothing too', async () => {
    const { events, output } = memory();
    await framedOutput(output, frame).commit();
    expect(events).toEqual(['<', '>', 'commit']);
  });

  it('adds nothing where it is given up', async () => {
    const { events, output } = memory();
    const framed = framedOutput(output, frame);
    framed.write('a', () => undefined);
    await framed.abort();
    expect(events).toEqual(['<', 'a', 'abort']);
  });

  it('gives up where the tail cannot be written; a reader that has gone is no error', async () => {
    const full = memory({ at: '>', code: 'ENOSPC' });
    await expect(framedOutput(full.output, frame).commit()).rejects.toMatchObject({ code: 'file' });
    expect(full.events).toEqual(['<', '>', 'abort']);
    const gone = memory({ at: '>', code: 'EPIPE' });
    await framedOutput(gone.output, frame).commit();
    expect(gone.events).toEqual(['<', '>', 'abort']);
  });
});
