import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { InFlightNote } from '../../src/io/in-flight-note.js';
import { workspace } from '../cli/workspace.js';

const folder = workspace();
const at = (start: number) => ({ source: 'a', line: start + 1, start, end: start + 1 });
let files = 0;
const path = () => {
  files += 1;
  return join(folder, `note-${files}`);
};

/** A run that goes on after a record, works on some, and dies. */
function die(file: string, after: number | undefined, work: (note: InFlightNote) => void): void {
  work(new InFlightNote(file, after === undefined ? undefined : at(after)));
}

describe('InFlightNote', () => {
  it('lets records go alone after three deaths on the way from the same place', () => {
    const file = path();
    for (let deaths = 0; deaths < 3; deaths += 1) {
      const note = new InFlightNote(file, undefined);
      expect(note.alone).toBe(false);
      note.begin(at(0), at(9));
    }
    const careful = new InFlightNote(file, undefined);
    expect(careful.alone).toBe(true);
    careful.begin(at(8), at(8));
    expect(careful.alone).toBe(true);
    careful.begin(at(9), at(9));
    expect(careful.alone).toBe(false);
  });

  it('forgets deaths once a run has come further', () => {
    const file = path();
    die(file, undefined, note => note.begin(at(0), at(9)));
    die(file, undefined, note => note.begin(at(0), at(9)));
    // That death was on the way beyond the fourth as well: this is the second from there.
    die(file, 4, note => note.begin(at(5), at(9)));
    expect(new InFlightNote(file, at(4)).alone).toBe(false);
  });

  it('puts a record aside at which eight runs in a row have died', () => {
    const file = path();
    for (let i = 0; i < 3; i += 1) die(file, undefined, note => note.begin(at(0), at(9)));
    // From outside, at another record each time.
    die(file, undefined, note => note.begin(at(1), at(1)));
    die(file, 0, note => note.begin(at(2), at(2)));
    for (let i = 0; i < 7; i += 1) die(file, 2, note => note.begin(at(3), at(3)));
    expect(new InFlightNote(file, at(2)).isQuarantined(at(3))).toBe(false);
    die(file, 2, note => note.begin(at(3), at(3)));
    const last = new InFlightNote(file, at(2));
    expect([1, 2, 3, 4].filter(start => last.isQuarantined(at(start)))).toEqual([3]);
  });

  it('blames no record for what kills a run before it has begun to work', () => {
    const file = path();
    die(file, undefined, note => note.begin(at(0), at(9)));
    for (let i = 0; i < 5; i += 1) die(file, undefined, () => undefined);
    expect(new InFlightNote(file, undefined).alone).toBe(false);
  });

  it('is gone after a run that has ended, and begins anew where it cannot be read', () => {
    const file = path();
    const note = new InFlightNote(file, undefined);
    note.begin(at(0), at(9));
    note.clear();
    expect(existsSync(file)).toBe(false);
    writeFileSync(file, '{"after"');
    expect(new InFlightNote(file, undefined).alone).toBe(false);
  });
});
