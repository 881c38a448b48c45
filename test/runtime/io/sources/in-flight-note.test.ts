import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { InFlightNote, needsCare } from '../../../../src/runtime/io/sources/in-flight-note.js';
import { workspace } from '../../../cli/commands/workspace.js';

const folder = workspace();
const at = (start: number, raw = `${start}`) => ({
  position: { source: 'a', line: start + 1, start, end: start + 1 },
  raw,
});
let files = 0;
const path = () => {
  files += 1;
  return join(folder, `note-${files}`);
};

/** A run that resumes at a place, works on some records, and dies. */
function die(file: string, after: string | undefined, work: (note: InFlightNote) => void): void {
  work(new InFlightNote(file, after));
}

/** A run that dies at work on several records of a file. */
function dieAtWork(file: string, after?: string): void {
  die(file, after, note => expect(note.begin(at(0), true, 3)).toBe(3));
}

describe('InFlightNote', () => {
  it('lets records go alone after three deaths on the way from the same place', () => {
    const file = path();
    for (let deaths = 0; deaths < 3; deaths += 1) {
      expect(new InFlightNote(file, undefined).alone).toBe(false);
      dieAtWork(file);
    }
    const careful = new InFlightNote(file, undefined);
    for (const start of [0, 1, 2]) {
      expect(careful.alone).toBe(true);
      expect(careful.begin(at(start), true, 9 - start)).toBe(1);
      careful.settled();
    }
    // As many as had been read by the runs that died, and no more.
    expect(careful.begin(at(3), true, 6)).toBe(6);
    expect(careful.alone).toBe(false);
  });

  it('forgets deaths once a run has come further', () => {
    const file = path();
    dieAtWork(file);
    dieAtWork(file);
    // That death was on the way beyond the fourth as well: this is the second from there.
    dieAtWork(file, '4');
    expect(new InFlightNote(file, '4').alone).toBe(false);
  });

  it('puts a record aside at which eight runs in a row have died', () => {
    const file = path();
    for (let i = 0; i < 3; i += 1) dieAtWork(file);
    // From outside, at another record each time.
    die(file, undefined, note => note.begin(at(1), true, 1));
    die(file, '0', note => note.begin(at(2), true, 1));
    for (let i = 0; i < 7; i += 1) die(file, '2', note => note.begin(at(3), true, 1));
    expect(new InFlightNote(file, '2').isQuarantined(at(3), true)).toBe(false);
    die(file, '2', note => note.begin(at(3), true, 1));
    const last = new InFlightNote(file, '2');
    expect([1, 2, 3, 4].filter(start => last.isQuarantined(at(start), true))).toEqual([3]);
  });

  it('knows a record of a file by place and bytes, and one of a pipe by its bytes alone', () => {
    for (const [fromFile, found] of [
      [true, [true, false, false]],
      [false, [true, true, false]],
    ] as const) {
      const file = path();
      for (let i = 0; i < 3; i += 1) die(file, undefined, note => note.begin(at(0), fromFile, 1));
      for (let i = 0; i < 8; i += 1) die(file, undefined, note => note.begin(at(0), fromFile, 1));
      const note = new InFlightNote(file, undefined);
      const records = [at(0), at(7, '0'), at(0, 'another')];
      expect(records.map(record => note.isQuarantined(record, fromFile))).toEqual(found);
    }
  });

  it('blames no record for what kills a run while none is in flight', async () => {
    const file = path();
    dieAtWork(file);
    for (let i = 0; i < 5; i += 1) die(file, undefined, () => undefined);
    expect(new InFlightNote(file, undefined).alone).toBe(false);

    const working = () => (JSON.parse(readFileSync(file, 'utf8')) as { working: boolean }).working;
    const note = new InFlightNote(file, undefined);
    note.begin(at(0), true, 2);
    note.settled();
    expect(working()).toBe(true);
    note.settled();
    await vi.waitUntil(() => !working(), { timeout: 60_000 });
  });

  it('is gone after a run that has ended, and begins anew where it cannot be read', () => {
    const file = path();
    const note = new InFlightNote(file, undefined);
    note.begin(at(0), true, 9);
    note.clear();
    expect(existsSync(file)).toBe(false);
    writeFileSync(file, '{"after"');
    expect(new InFlightNote(file, undefined).alone).toBe(false);
  });

  it('asks for single records once runs have died in the same place', () => {
    const file = path();
    expect(needsCare(file)).toBe(false);
    for (let deaths = 1; deaths <= 3; deaths += 1) {
      die(file, undefined, note => note.beginMany(40, true));
      expect(needsCare(file)).toBe(deaths === 3);
    }
    const careful = new InFlightNote(file, undefined);
    expect([careful.alone, needsCare(file)]).toEqual([true, true]);
    careful.clear();
    expect(needsCare(file)).toBe(false);
  });

  it('is at rest when all records of all blocks are written', async () => {
    const file = path();
    const working = () => (JSON.parse(readFileSync(file, 'utf8')) as { working: boolean }).working;
    const note = new InFlightNote(file, undefined);
    note.beginMany(40, true);
    note.beginMany(2, true);
    note.settled(40);
    note.settled();
    expect(working()).toBe(true);
    note.settled();
    await vi.waitUntil(() => !working(), { timeout: 60_000 });
  });
});
