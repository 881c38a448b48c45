import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { FileCheckpointStore } from '../../../src/runtime/io/checkpoints/file-checkpoint-store.js';
import { root, tagstream } from '../../cli/commands/run-command.js';
import { trainHere } from '../../cli/commands/train-here.js';
import { toyPipeline, toyRecords, workspace } from '../../cli/commands/workspace.js';
import { canMount, onSmallDisk } from './small-disk.js';

const folder = workspace();
const stage = '  - checkpoint: { dir: disk/checkpoints, every: 1, keep: 4 }\n';
const full = /no space is left on the device \(free some space, or write somewhere else\)/;
const readOnly = /the file system is read-only \(write somewhere else\)/;
const path = (name: string) => join(folder, name);
const text = (name: string) => readFileSync(path(name), 'utf8');

beforeAll(async () => {
  const pipeline = toyPipeline(folder);
  await trainHere(pipeline);
  toyPipeline(folder, 60, stage);
  writeFileSync(path('large.ndjson'), `${toyRecords(3000, false).join('\n')}\n`);
  writeFileSync(path('bad.ndjson'), '{"id": 1, "text": 7, "more": "some words"}\n'.repeat(3000));
});

describe.skipIf(!canMount)('a full disk (mounting one needs root)', () => {
  it.each(['1', '2'])(
    'under the output of tag --workers %s: exit 1, the old file stays, nothing else is left',
    async workers => {
      const script = `echo old > "$DISK/out.ndjson"
        tagstream tag --model "$FOLDER/toy.model" --workers ${workers} --out "$DISK/out.ndjson" "$FOLDER/large.ndjson"
        echo "code $?"; ls -A "$DISK"; cat "$DISK/out.ndjson"`;
      const { stdout, stderr } = await onSmallDisk(folder, '128k', script);
      expect(stderr).toMatch(/tagstream: cannot write .*disk\/out\.ndjson: no space is left/);
      expect(stderr).toMatch(full);
      expect(stdout).toBe('code 1\nout.ndjson\nold\n');
    },
  );

  it.each(['1', '2'])(
    'under the dead letters of tag --workers %s: exit 1, all letters on it are whole',
    { tags: 'slow' },
    async workers => {
      const script = `tagstream tag --model "$FOLDER/toy.model" --workers ${workers} --dead-letter "$DISK/dead.ndjson" "$FOLDER/bad.ndjson" > /dev/null
        echo "code $?"; cp "$DISK/dead.ndjson" "$FOLDER"`;
      const { stdout, stderr } = await onSmallDisk(folder, '128k', script);
      expect(stderr).toMatch(/cannot write the dead letters to .*disk\/dead\.ndjson: no space/);
      expect(stdout).toBe('code 1\n');
      const letters = text('dead.ndjson').trimEnd().split('\n');
      expect(letters.length).toBeGreaterThan(200);
      letters.forEach((letter, i) => {
        expect(JSON.parse(letter)).toMatchObject({ line: i + 1, code: 'wrong-shape' });
      });
    },
  );

  it('under a checkpoint: exit 1, those before it are whole, and with room the run continues', {
    tags: 'slow',
  }, async () => {
    const script = `tagstream train "$FOLDER/toy.yaml" --model "$FOLDER/resumed.model"
      echo "code $?"; ls -A "$DISK/checkpoints"; cp -r "$DISK/checkpoints" "$FOLDER/left"
      mount -o remount,size=20m "$DISK"
      tagstream train "$FOLDER/toy.yaml" --model "$FOLDER/resumed.model" --resume
      echo "code $?"; cmp "$FOLDER/resumed.model" "$FOLDER/toy.model" && echo same`;
    const { stdout, stderr } = await onSmallDisk(folder, '96k', script);
    expect(stderr).toMatch(
      /a checkpoint of \d+ KiB does not fit into .*disk\/checkpoints|no space is left/,
    );
    const names = readdirSync(path('left')).sort();
    expect(names.length).toBeGreaterThan(0);
    expect(names.every(name => /^gen-\d{8}$/.test(name))).toBe(true);
    expect(stdout).toBe(`code 1\n${names.join('\n')}\ncode 0\nsame\n`);
    const damaged: string[] = [];
    expect(
      new FileCheckpointStore(path('left')).readNewest(name => damaged.push(name)),
    ).toBeDefined();
    expect(damaged).toEqual([]);
  });

  it('under the model of train: exit 1, the old model stays, nothing else is left', {
    tags: 'slow',
  }, async () => {
    const script = `echo old > "$DISK/my.model"; head -c 62000 /dev/zero > "$DISK/filler"
      tagstream train "$FOLDER/toy.yaml" --set stages.5.checkpoint.dir="$FOLDER/elsewhere" --force --model "$DISK/my.model"
      echo "code $?"; ls -A "$DISK"; cat "$DISK/my.model"`;
    const { stdout, stderr } = await onSmallDisk(folder, '68k', script);
    expect(stderr).toMatch(/cannot write .*disk\/my\.model: no space is left/);
    expect(stdout).toBe('code 1\nfiller\nmy.model\nold\n');
  });
});

describe('/dev/full', () => {
  it.each([
    ['output', ['--out', '/dev/full', 'large.ndjson'], /cannot write \/dev\/full: no space/],
    [
      'dead letters',
      ['--dead-letter', '/dev/full', 'bad.ndjson'],
      /dead letters to \/dev\/full: no/,
    ],
  ])('as %s of tag: exit 1, in one or two workers', async (_, given, message) => {
    for (const workers of ['1', '2']) {
      const model = ['--model', path('toy.model'), '--workers', workers];
      const { code, stderr } = await tagstream(['tag', ...model, ...given], { cwd: folder });
      expect(stderr).toMatch(message);
      if (given[0] === '--dead-letter') {
        expect(stderr).toContain(
          '1 bad record (1 wrong-shape), not kept, because /dev/full could not be written',
        );
      }
      expect(stderr).toMatch(full);
      expect(stderr).not.toContain('kept in');
      expect(code).toBe(1);
    }
  });
});

describe.skipIf(!canMount)('a read-only disk (mounting one needs root)', () => {
  const remount = 'mount -o remount,ro "$DISK"';

  it('under output, dead letters, model and checkpoints: exit 1 each, all stays as it is', {
    tags: 'slow',
  }, async () => {
    const script = `echo old > "$DISK/a"; ${remount}
      tagstream tag --model "$FOLDER/toy.model" --out "$DISK/a" "$FOLDER/large.ndjson"; echo "code $?"
      tagstream tag --model "$FOLDER/toy.model" --out "$DISK/b" "$FOLDER/large.ndjson"; echo "code $?"
      tagstream tag --model "$FOLDER/toy.model" --dead-letter "$DISK/c" "$FOLDER/bad.ndjson"; echo "code $?"
      tagstream train "$FOLDER/toy.yaml" --set stages.5.checkpoint.dir="$FOLDER/elsewhere" --model "$DISK/d"; echo "code $?"
      tagstream train "$FOLDER/toy.yaml" --model "$FOLDER/never.model"; echo "code $?"
      ls -A "$DISK"; cat "$DISK/a"; ls "$FOLDER"/never.model 2> /dev/null`;
    const { stdout, stderr } = await onSmallDisk(folder, '1m', script);
    const errors = stderr.split('\n').filter(line => readOnly.test(line));
    expect(errors.map(line => /cannot (.*?) \//.exec(line)![1])).toEqual([
      'write',
      'write',
      'write the dead letters to',
      'write',
      'lock',
    ]);
    expect(stdout).toBe(`${'code 1\n'.repeat(5)}a\nold\n`);
  });
});

describe('no file descriptors left', () => {
  const entry = (name: string) => pathToFileURL(resolve(root, 'dist', name)).href;
  const program = `
    import { openSync, closeSync } from 'node:fs';
    import { lastValueFrom, toArray } from 'rxjs';
    import { loadTagger, TagstreamError } from ${JSON.stringify(entry('index.js'))};
    import { DeadLetters, documentSource, FileCheckpointStore, ndjsonCodec, openOutput } from ${JSON.stringify(entry('entries/io.js'))};
    const folder = process.argv[1];
    const position = { source: 'a', line: 1, start: 0, end: 1 };
    const bad = { position, raw: new Uint8Array(1), truncated: false, error: new TagstreamError('not-json', 'no') };
    const letters = new DeadLetters({ policy: 'dead-letter', file: folder + '/letters' });
    const store = new FileCheckpointStore(folder + '/store');
    const read = () => documentSource({ files: [folder + '/train.ndjson'], codec: ndjsonCodec(), deadLetters: letters });
    const tries = {
      model: () => loadTagger(folder + '/toy.model').labels.length,
      input: async () => (await lastValueFrom(read().pipe(toArray()))).length,
      output: async () => (await openOutput(folder + '/out')).abort(),
      letter: () => letters.add(bad),
      checkpoint: () => store.write({ a: { json: { b: 1 }, arrays: {} } }),
    };
    const outcomes = async () => {
      const found = {};
      for (const [name, work] of Object.entries(tries)) {
        try { await work(); found[name] = 'done'; }
        catch (error) { found[name] = error.code + ': ' + error.message.replace(/^.*: (?=too many)/, ''); }
      }
      return found;
    };
    await outcomes();
    const held = [];
    letters.close();
    try { for (;;) held.push(openSync('/dev/null', 'r')); } catch {}
    const without = await outcomes();
    for (const file of held) closeSync(file);
    const newest = store.readNewest(() => { throw new Error('damaged'); });
    console.log(JSON.stringify({ held: held.length, without, newest: newest.a.json, after: await outcomes() }));
  `;

  it('is an error file for all that opens one, and all continues once there are some again', {
    tags: 'slow',
  }, () => {
    mkdirSync(path('few'));
    toyPipeline(path('few'));
    writeFileSync(path('few/toy.model'), readFileSync(path('toy.model')));
    const command = `ulimit -n 1024; exec "$0" --input-type=module -e "$1" "$2"`;
    const given = ['-c', command, process.execPath, program, path('few')];
    const { stdout, stderr } = spawnSync('bash', given, { cwd: root, encoding: 'utf8' });
    expect(stderr).toBe('');
    const { held, without, newest, after } = JSON.parse(stdout);
    const tooMany = 'file: too many open files (raise the limit on open files)';
    expect(held).toBeGreaterThan(5);
    expect(without).toEqual({
      ...{ model: tooMany, input: tooMany, output: tooMany },
      ...{ letter: tooMany, checkpoint: tooMany },
    });
    expect(newest).toEqual({ b: 1 });
    const done = 'done';
    expect(after).toEqual({
      model: done,
      input: done,
      output: done,
      letter: done,
      checkpoint: done,
    });
    expect(readdirSync(path('few/store')).every(name => /^gen-/.test(name))).toBe(true);
  });
});
