import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { lstatSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import pLimit from 'p-limit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openFifo, openFifoToWrite } from '../../../src/formats/files/open-fifo.js';
import { root } from '../../cli/commands/run-command.js';
import { trainHere } from '../../cli/commands/train-here.js';
import { toyPipeline, workspace } from '../../cli/commands/workspace.js';
import { everyNth } from '../../house/long-forms.js';
import { idles } from '../idles.js';
import { longForm } from '../long-form.js';
import { epochs, labelled, learning, type Place, refused, waiting } from './pipe-places.js';

const folder = workspace();
const inFolder = (file: string) => join(folder, file);

beforeAll(async () => {
  await trainHere(toyPipeline(folder, 60));
  writeFileSync(inFolder('bad.ndjson'), `${labelled}{\n`);
  writeFileSync(inFolder('text.txt'), 'the dog runs\nthe cat sees\n');
  writeFileSync(
    inFolder('letters.ndjson'),
    `${JSON.stringify({ source: 'a', line: 1, start: 0, end: 9, code: 'not-json', error: 'x', raw: '{"id":"mended","tokens":["dog"]}', time: '' })}\n`,
  );
});

let places = 0;

/** A folder of its own for a place, with the pipe, and the arguments of its command. */
function prepared({ command, pipeline }: Place): { given: string[]; fifo: string } {
  places += 1;
  const [fifo, file] = [inFolder(`fifo-${places}`), inFolder(`place-${places}`)];
  execFileSync('mkfifo', [fifo]);
  if (pipeline !== undefined) writeFileSync(`${file}.yaml`, pipeline.replace('FIFO', fifo));
  if (command.includes('.study.')) {
    writeFileSync(
      `${file}.base.yaml`,
      learning({}, `${epochs}test: { ndjson: { files: [train.ndjson] } }\n`),
    );
    writeFileSync(
      `${file}.study.yaml`,
      `version: 1\nname: s\ntitle: S\npipeline: ${file}.base.yaml\nrows: [{ name: a }]\nmeasure: [accuracy]\n`,
    );
  }
  const given = command.split(' ').map(part => part.replace('FIFO', fifo).replace('FILE', file));
  return { given, fifo };
}

interface Run {
  readonly child: ChildProcess;
  readonly closed: Promise<{
    code: number | null;
    signal: string | null;
    out: string;
    err: string;
  }>;
}

const children: ChildProcess[] = [];
afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
});

function begin(given: readonly string[]): Run {
  const child = spawn(process.execPath, [join(root, 'dist/cli/main.js'), ...given], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.push(child);
  const read = Promise.all([text(child.stdout), text(child.stderr)]);
  const closed = once(child, 'close').then(async ([code, signal]) => {
    const [out, err] = await read;
    return { code, signal, out, err } as Awaited<Run['closed']>;
  });
  return { child, closed };
}

/** Writes to a pipe once it is read, unless the command ends before. */
async function feed(fifo: string, content: string | Uint8Array, closed: Promise<unknown>) {
  const ended = new AbortController();
  closed.then(() => ended.abort());
  try {
    const pipe = await openFifoToWrite(fifo, ended.signal);
    pipe.on('error', () => undefined);
    pipe.end(content);
  } catch (reason) {
    if (!ended.signal.aborted) throw reason;
  }
  return undefined;
}

const limit = pLimit(3);
/** All places at once, a few processes at a time; each test awaits its own. */
const atOnce = <Result>(all: readonly Place[], work: (place: Place) => Promise<Result>) => {
  let runs: Map<Place, Promise<Result>> | undefined;
  return (place: Place) => {
    runs ??= new Map(
      all.map(each => {
        const result = limit(() => work(each));
        result.catch(() => undefined);
        return [each, result];
      }),
    );
    return runs.get(place)!;
  };
};

describe('a pipe without another end', () => {
  // Where the system ends the process there is little to be seen.
  const signalled = longForm ? waiting : waiting.filter(({ plain }) => plain !== true);
  const ended = atOnce(signalled, async place => {
    const { given, fifo } = prepared(place);
    const { child, closed } = begin(given);
    await idles(child);
    child.kill('SIGTERM');
    return { ...(await closed), isPipe: lstatSync(fifo).isFIFO() };
  });

  it.each(signalled)('is waited for until a signal: $name', { tags: 'slow' }, async place => {
    const { code, signal, err, isPipe } = await ended(place);
    const end =
      place.plain === true ? { code: null, signal: 'SIGTERM' } : { code: 0, signal: null };
    expect({ code, signal, isPipe }, err).toEqual({ ...end, isPipe: true });
    expect(err).not.toMatch(/^\s+at /m);
  });
});

describe('a pipe with another end', () => {
  const ended = atOnce(waiting, async place => {
    const { given, fifo } = prepared(place);
    const { closed } = begin(given);
    const content = place.gives?.(folder);
    const shown = content === undefined ? text(openFifo(fifo)) : feed(fifo, content, closed);
    const { code, out, err } = await closed;
    return { code, err, shown: code === 0 ? ((await shown) ?? `${out}${err}`) : '' };
  });

  it.each(waiting)('is taken for a file: $name', { tags: 'slow' }, async place => {
    const { code, err, shown } = await ended(place);
    expect(code, err).toBe(0);
    expect(shown).toMatch(place.shows!);
  });
});

describe('a pipe in the place of a file that is replaced as a whole', () => {
  const ended = atOnce(refused, async place => begin(prepared(place).given).closed);

  for (const { rows, tags } of everyNth(3, refused)) {
    it.each(rows)('is refused at once: $name', { tags }, async place => {
      const { code, err } = await ended(place);
      expect([1, 2, 78]).toContain(code);
      expect(err).toMatch((place as (typeof refused)[number]).says);
    });
  }
});
