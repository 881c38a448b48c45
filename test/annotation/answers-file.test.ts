import {
  appendFileSync,
  closeSync,
  existsSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { answerLine } from '../../src/annotation/answers/answer-line.js';
import { AnswersFile } from '../../src/annotation/answers/answers-file.js';
import { workspace } from '../cli/commands/workspace.js';
import { everyNth } from '../house/long-forms.js';

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

  it('takes a key once, however many answers come between, across restarts too', () => {
    const name = path();
    let file = new AnswersFile(name);
    const keys = ['k', 'l', 'm', 'n'];
    for (const key of keys) expect(add(file, 0, key.toUpperCase(), key)).toBe(true);
    for (let start = 0; start < 2; start += 1) {
      for (const key of keys) expect(add(file, 0, 'X', key)).toBe(false);
      expect(tags(file)).toEqual(['0N']);
      file.close();
      file = new AnswersFile(name);
    }
    // The same key to another record is another answer; one that is undone may come again.
    expect(add(file, 1, 'A', 'k')).toBe(true);
    file.undo();
    expect(add(file, 1, 'A', 'k')).toBe(true);
    file.undo();
    file.undo();
    expect(tags(file)).toEqual(['0M']);
    expect(add(file, 0, 'X', 'l')).toBe(false);
    expect(add(file, 0, 'O', 'n')).toBe(true);
    file.close();
  });

  it('sets a line aside that a kill has cut short, and keeps one that only lacks its end', {
    tags: 'slow',
  }, () => {
    const name = path();
    const first = new AnswersFile(name);
    add(first, 0, 'A');
    add(first, 1, 'B');
    first.close();
    const whole = readFileSync(name);
    const second = whole.indexOf(10) + 1;
    for (let cut = second; cut <= whole.length; cut += 1) {
      writeFileSync(name, whole.subarray(0, cut));
      rmSync(`${name}.rejected`, { force: true });
      const notices: string[] = [];
      const file = new AnswersFile(name, { onNotice: text => notices.push(text) });
      const isWhole = cut >= whole.length - 1;
      expect(tags(file)).toEqual(isWhole ? ['0A', '1B'] : ['0A']);
      const isCut = cut > second && !isWhole;
      expect(notices).toEqual(isCut ? [expect.stringMatching(/moved 1 line .* \(line 2\)$/)] : []);
      expect(existsSync(file.rejectedPath)).toBe(isCut);
      if (isCut) {
        const aside = readFileSync(file.rejectedPath);
        expect(aside.subarray(0, -1)).toEqual(whole.subarray(second, cut));
      }
      add(file, 2, 'C');
      expect(tags(file).at(-1)).toBe('2C');
      file.close();
      expect(readFileSync(name, 'utf8').trim().split('\n')).toHaveLength(isWhole ? 3 : 2);
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

const nul = Buffer.alloc(5000);

/** What other programs do to a file, given its content when they opened it. */
const programs: Readonly<Record<string, (name: string, old: Buffer) => void>> = {
  'replaces it by an old copy': (name, old) => {
    writeFileSync(`${name}~`, old);
    renameSync(`${name}~`, name);
  },
  'writes an old copy into it': (name, old) => writeFileSync(name, old),
  'empties it': name => truncateSync(name, 0),
  'cuts a line': name => truncateSync(name, readFileSync(name).length - 7),
  'cuts the last line end': name => truncateSync(name, readFileSync(name).length - 1),
  'extends it by NUL bytes': name => truncateSync(name, readFileSync(name).length + 3000),
  'begins it with NUL bytes': name => writeFileSync(name, Buffer.concat([nul, readFileSync(name)])),
  'overwrites a part': name => {
    const file = openSync(name, 'r+');
    writeSync(file, nul, 0, 40, 30);
    closeSync(file);
  },
  'deletes it': name => rmSync(name),
  'doubles each line': name =>
    writeFileSync(name, readFileSync(name, 'utf8').replaceAll(/(.+\n)/g, '$1$1')),
  'has line ends of Windows, and a mark': name =>
    writeFileSync(name, `\ufeff${readFileSync(name, 'utf8').replaceAll('\n', '\r\n')}`),
  'sorts the lines backwards': name =>
    writeFileSync(name, `${readFileSync(name, 'utf8').trim().split('\n').reverse().join('\n')}\n`),
  'appends other records': name => appendFileSync(name, '{"tokens":["a"],"tags":["X"]}\nrubbish'),
  'appends bytes that are not UTF-8': name => appendFileSync(name, Buffer.of(0xff, 0xfe, 10)),
};

/** What a session does next. */
const steps: Readonly<Record<string, (file: AnswersFile) => readonly string[]>> = {
  looks: file => {
    file.sync();
    return ['0A', '1C', '2B'];
  },
  adds: file => {
    add(file, 3, 'D');
    return ['0A', '1C', '2B', '3D'];
  },
  'answers again': file => {
    add(file, 0, 'D');
    return ['0D', '1C', '2B'];
  },
  undoes: file => {
    file.undo();
    return ['0A', '1C'];
  },
  'undoes an answer that replaced another': file => {
    file.undo();
    file.undo();
    return ['0A', '1A'];
  },
  ends: () => ['0A', '1C', '2B'],
};

describe('the file of answers, while another program', () => {
  const cases = Object.keys(programs).flatMap(program =>
    Object.keys(steps).map(step => [program, step] as const),
  );

  for (const part of everyNth(2, cases)) {
    it.each(part.rows)(
      '%s and the session %s, loses nothing',
      { tags: part.tags },
      (program, step) => {
        const name = path();
        const notices: string[] = [];
        const file = new AnswersFile(name, { onNotice: text => notices.push(text) });
        add(file, 0, 'A');
        add(file, 1, 'A');
        const old = readFileSync(name);
        add(file, 4, 'E');
        file.undo();
        add(file, 1, 'C');
        add(file, 2, 'B');
        const before = readFileSync(name);
        programs[program]!(name, old);
        const written = existsSync(name) ? readFileSync(name) : Buffer.alloc(0);
        const expected = steps[step]!(file);
        expect(tags(file).sort()).toEqual(expected);
        file.close();
        const after = readFileSync(name);
        expect(after.includes(0)).toBe(false);
        const lines = after.toString().replace('\ufeff', '').trim().split(/\r?\n/);
        const kept = lines.map(line => JSON.parse(line));
        expect(
          kept.map(({ _annotation: { record }, tags: [tag] }) => `${record}${tag}`).sort(),
        ).toEqual(expected);
        // What the other program has brought is in one of the files.
        const aside = existsSync(file.rejectedPath)
          ? readFileSync(file.rejectedPath, 'latin1')
          : '';
        const known = before.toString('latin1') + old.toString('latin1') + aside;
        for (const line of written.toString('latin1').split(/[\r\n\0]+/)) {
          expect(known).toContain(line.replace(/^\u00ef\u00bb\u00bf/, ''));
        }
        const again = new AnswersFile(name, { onNotice: text => notices.push(`again ${text}`) });
        expect(tags(again).sort()).toEqual(expected);
        expect(notices.filter(text => text.startsWith('again'))).toEqual([]);
        again.close();
      },
    );
  }

  it.each(Object.entries(programs))(
    '%s between two sessions, is reported and opens',
    (program, change) => {
      const name = path();
      const first = new AnswersFile(name);
      add(first, 0, 'A');
      add(first, 1, 'B');
      first.close();
      const before = readFileSync(name);
      change(name, before);
      const written = existsSync(name) ? readFileSync(name) : Buffer.alloc(0);
      const notices: string[] = [];
      const file = new AnswersFile(name, { onNotice: text => notices.push(text) });
      const left = { 'empties it': 0, 'deletes it': 0, 'cuts a line': 1, 'overwrites a part': 1 };
      expect(file.size).toBe((left as Record<string, number>)[program] ?? 2);
      add(file, 5, 'F');
      file.close();
      expect(readFileSync(name).includes(0)).toBe(false);
      const aside = existsSync(file.rejectedPath) ? readFileSync(file.rejectedPath, 'latin1') : '';
      const kept = readFileSync(name, 'latin1') + aside;
      for (const line of written.toString('latin1').split(/[\r\n]+/)) {
        expect(kept).toContain(line.replace(/^[\0\u00ef\u00bb\u00bf]+|\0+$/g, ''));
      }
      expect(notices.length > 0).toBe(
        aside !== '' || written.includes(0) || program === 'doubles each line',
      );
    },
  );

  it('edits an answer, takes the edit over and keeps the earlier version', () => {
    const name = path();
    const changed: number[] = [];
    const file = new AnswersFile(name, { onChange: records => changed.push(...records) });
    add(file, 0, 'A');
    add(file, 1, 'B');
    const before = readFileSync(name, 'utf8');
    writeFileSync(name, before.replace('"tags":["A"]', '"tags":["Z"]'));
    file.sync();
    expect(tags(file)).toEqual(['0Z', '1B']);
    expect(changed).toEqual([0]);
    expect(before).toContain(readFileSync(file.rejectedPath, 'utf8'));
    // The copy that another window still has is old now.
    writeFileSync(name, before);
    file.sync();
    expect(tags(file)).toEqual(['0Z', '1B']);
    file.close();
  });

  it('still writes to the file that the session has replaced, has its answers taken over', () => {
    const name = path();
    const file = new AnswersFile(name);
    add(file, 0, 'A');
    const late = openSync(name, 'a');
    add(file, 0, 'B');
    const line = readFileSync(name, 'utf8').replaceAll('"record":0', '"record":7');
    writeSync(late, line);
    closeSync(late);
    add(file, 1, 'C');
    expect(tags(file).sort()).toEqual(['0B', '1C', '7B']);
    file.close();
    expect(readFileSync(name, 'utf8').trim().split('\n')).toHaveLength(3);
  });

  it('adds answers, takes those that are accepted, and no other', () => {
    const name = path();
    const file = new AnswersFile(name, { accepts: ({ note }) => note.record < 5 });
    add(file, 0, 'A');
    const line = readFileSync(name, 'utf8');
    appendFileSync(name, line.replace('"record":0', '"record":4'));
    appendFileSync(name, line.replace('"record":0', '"record":5'));
    expect(add(file, 4, 'B')).toBe(true);
    expect(tags(file)).toEqual(['0A', '4B']);
    expect(readFileSync(file.rejectedPath, 'utf8')).toContain('"record":5');
    file.undo();
    expect(tags(file)).toEqual(['0A', '4A']);
    file.close();
  });
});
