import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { answerLine } from '../../src/annotation/answers/answer-line.js';
import { AnswersFile } from '../../src/annotation/answers/answers-file.js';
import { workspace } from '../cli/commands/workspace.js';

const folder = workspace();
let files = 0;

function path(): string {
  files += 1;
  return join(folder, `a${files}.ndjson`);
}

function add(file: AnswersFile, record: number, tag: string, key?: string): boolean {
  const note = {
    record,
    digest: 'd',
    answer: 'accept',
    annotator: '',
    time: 't',
    model: '1',
  } as const;
  const raw = `{"id": ${record}, "big": 1e400, "text": "x"}`;
  return file.add({ record, key }, replaced =>
    answerLine(
      raw,
      {
        tokens: ['x'],
        tags: [tag],
        replaced,
        note: { ...note, proposed: ['O'], corrections: 0, key },
      },
      { offsets: [[0, 1]] },
    ),
  );
}

const tags = (file: AnswersFile) =>
  [...file.answers()].map(({ note, tags }) => `${note.record}${tags![0]}`);

describe('the file of answers', () => {
  it('keeps the fields of a record byte for byte', () => {
    const file = new AnswersFile(path());
    add(file, 3, 'A');
    expect(readFileSync(file.path, 'utf8')).toMatch(
      /^\{"id": 3,"big": 1e400,"text": "x","tokens":\["x"\],"offsets":\[\[0,1\]\],"tags":\["A"\],"_annotation":\{"record":3,.*\}\}\n$/,
    );
    file.close();
  });

  it('undoes without limit, what was replaced too, and is then as it was', () => {
    const file = new AnswersFile(path());
    const states: string[] = [];
    const steps = [
      [0, 'A'],
      [1, 'A'],
      [0, 'B'],
      [2, 'A'],
      [0, 'C'],
      [1, 'B'],
    ] as const;
    for (const [record, tag] of steps) {
      states.push(readFileSync(file.path, 'utf8'));
      add(file, record, tag);
    }
    expect(tags(file)).toEqual(['2A', '0C', '1B']);
    for (const state of states.reverse()) {
      file.undo();
      expect(readFileSync(file.path, 'utf8')).toBe(state);
    }
    expect(file.undo()).toBeUndefined();
    file.close();
  });

  it('grows in proportion to the answers that were replaced', () => {
    const file = new AnswersFile(path());
    const sizes = Array.from({ length: 24 }, () => {
      add(file, 0, 'A');
      return readFileSync(file.path).length;
    });
    const steps = sizes.slice(1).map((size, i) => size - sizes[i]!);
    expect(Math.max(...steps)).toBeLessThan(2 * Math.min(...steps));
    file.close();
  });

  it('keeps an answer once that comes twice with its key', () => {
    const file = new AnswersFile(path());
    expect([add(file, 0, 'A', 'k'), add(file, 0, 'B', 'k'), add(file, 0, 'C', 'm')]).toEqual([
      true,
      false,
      true,
    ]);
    expect(tags(file)).toEqual(['0C']);
    file.close();
  });

  it('cuts off a line that a kill has cut short, and no other', () => {
    const name = path();
    const first = new AnswersFile(name);
    add(first, 0, 'A');
    add(first, 1, 'B');
    first.close();
    const whole = readFileSync(name);
    const second = whole.indexOf(10) + 1;
    for (let cut = second; cut <= whole.length; cut += 1) {
      writeFileSync(name, whole.subarray(0, cut));
      const file = new AnswersFile(name);
      expect(tags(file)).toEqual(cut === whole.length ? ['0A', '1B'] : ['0A']);
      expect(file.torn).toBe(cut === whole.length ? 0 : cut - second);
      add(file, 2, 'C');
      expect(tags(file).at(-1)).toBe('2C');
      file.close();
    }
  });

  it('refuses a file of others, and one that is in use', () => {
    const name = path();
    writeFileSync(name, '{"tokens":["a"],"tags":["X"]}\n');
    expect(() => new AnswersFile(name)).toThrow(/:1: the record has no complete "_annotation"/);
    expect(readFileSync(name, 'utf8')).toBe('{"tokens":["a"],"tags":["X"]}\n');
    appendFileSync(name, 'x');
    expect(() => new AnswersFile(name)).toThrow();
  });
});
