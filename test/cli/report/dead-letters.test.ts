import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { chosenDeadLetters } from '../../../src/cli/files/chosen-dead-letters.js';
import { exitCodeOf } from '../../../src/cli/report/error-facts.js';
import type { DeadLetterOptions } from '../../../src/runtime/io/dead-letters/dead-letters.js';
import { loadPipeline } from '../../../src/runtime/pipeline/loading/load-pipeline.js';
import { runPipeline } from '../../../src/runtime/pipeline/run/run-pipeline.js';
import { tagstream } from '../commands/run-command.js';
import { thrownBy } from '../commands/thrown-by.js';
import { trainHere } from '../commands/train-here.js';
import { toyPipeline, toyRecords, workspace } from '../commands/workspace.js';

const folder = workspace();
const model = join(folder, 'toy.model');
const tag = ['tag', '--model', model];
const input = join(folder, 'input.ndjson');
const lines = [
  '{"id":1,"tokens":["the"]}',
  '{"id":2,"tokens":["the"',
  'null',
  '{"id":3,"tokens":{}}',
  '{"id":4,"tokens":["dog"]}',
  '{"id":5,"tokens":["a"],"tags":["X","Y"]}',
  '{"id":6,"tokens":["cat"]}',
];

/** A pipeline that tags the input, with what is said of bad records. */
function taggingPipeline(deadLetters: string, source = 'input.ndjson', sink = ''): string {
  const file = join(folder, 'tag.yaml');
  writeFileSync(
    file,
    `version: 1
name: tagging
source: { ndjson: { files: [${source}] } }
stages: [tokenize, { featurize: { model: toy.model } }, batch, tag]
${sink}${deadLetters === '' ? '' : `deadLetters: ${deadLetters}\n`}`,
  );
  return file;
}

let count = 0;
let dead = '';
beforeAll(async () => {
  await trainHere(toyPipeline(folder));
  writeFileSync(input, lines.join('\n'));
});
beforeEach(() => {
  count += 1;
  dead = join(folder, `dead-${count}.ndjson`);
});

const idsOf = (text: string) =>
  text
    .split('\n')
    .filter(line => line !== '')
    .map(line => (JSON.parse(line) as { id: number }).id);
interface Rejected extends Record<string, unknown> {
  readonly code: string;
  readonly raw: string;
}
const rejectedOf = (file: string): Rejected[] =>
  existsSync(file)
    ? readFileSync(file, 'utf8')
        .split('\n')
        .filter(line => line !== '')
        .map(line => JSON.parse(line) as Rejected)
    : [];
const codesOf = (file: string) => rejectedOf(file).map(({ code }) => code);
const write = (file: string, rejected: readonly object[]) =>
  writeFileSync(file, rejected.map(record => `${JSON.stringify(record)}\n`).join(''));

describe('what the command line says of bad records', () => {
  const said: DeadLetterOptions = {
    policy: 'dead-letter',
    policies: { stage: 'fail', 'not-json': 'skip' },
    file: 'bad.ndjson',
    maxErrorRate: 0.5,
  };
  it.each([
    [{}, 'dead-letter', { stage: 'fail', 'not-json': 'skip' }],
    [{ onBad: ['skip'] }, 'skip', {}],
    [{ onBad: ['stage=skip'] }, 'dead-letter', { stage: 'skip', 'not-json': 'skip' }],
    [{ onBad: ['stage=dead-letter', 'fail'] }, 'fail', { stage: 'dead-letter' }],
    [{ strict: true }, 'fail', {}],
    [{ strict: true, onBad: ['too-long=skip', 'fail'] }, 'fail', { 'too-long': 'skip' }],
    [{ deadLetter: 'x' }, 'dead-letter', { stage: 'fail', 'not-json': 'skip' }],
    [{ deadLetter: 'x', onBad: ['skip', 'stage=dead-letter'] }, 'skip', { stage: 'dead-letter' }],
  ] as const)('%j', (given, policy, policies) => {
    const chosen = chosenDeadLetters(given, said);
    expect([chosen.policy, chosen.policies]).toEqual([policy, policies]);
    expect(chosen.file).toBe('deadLetter' in given ? 'x' : 'bad.ndjson');
    expect(chosen.maxErrorRate).toBe(0.5);
  });

  it.each([
    [{ onBad: ['skpi'] }, '--on-bad: unknown policy "skpi" (did you mean skip?'],
    [{ onBad: ['not-jsn=skip'] }, 'unknown kind of fault "not-jsn" (did you mean not-json?'],
    [{ onBad: ['stage=ski'] }, 'unknown policy "ski" (did you mean skip?'],
    [{ onBad: ['skip'], strict: true }, '--strict cannot be combined with --on-bad skip'],
    [{ maxErrorRate: 2 }, '--max-error-rate: 2 is not a share'],
    [{ deadLetterBytes: 9 }, '--dead-letter-bytes: 9 is not allowed'],
    [{ errorRateAfter: 1.5 }, '--error-rate-after: 1.5 is not allowed'],
  ])('%j: refused', (given, message) => {
    const refused = thrownBy(() => chosenDeadLetters(given, said));
    expect(String(refused)).toContain(message);
    expect(exitCodeOf(refused)).toBe(2);
  });

  it.each([
    [['--on-bad', 'stage=ski'], 'unknown policy "ski" (did you mean skip?'],
    [['--max-error-rate', '2', '--strict'], '--max-error-rate: 2 is not a share'],
    [['--replay', '-'], '--replay needs a file'],
    [['--replay', input, input], '--replay cannot be combined with inputs'],
  ])('%j: wrong usage', async (given, message) => {
    const { code, stdout, stderr } = await tagstream([...tag, ...given]);
    expect(stderr).toContain(message);
    expect([code, stdout]).toEqual([2, '']);
  });

  it('keeps some, skips some, for any number of workers', { tags: 'slow' }, async () => {
    const outcomes: unknown[] = [];
    for (const workers of ['1', '2']) {
      const file = `${dead}-${workers}`;
      const given = ['--workers', workers, '--on-bad', 'wrong-shape=skip', '--dead-letter', file];
      const { code, stdout, stderr } = await tagstream([...tag, ...given, input]);
      expect([code, idsOf(stdout)]).toEqual([0, [1, 4, 6]]);
      expect(stderr).toContain(
        '4 bad records (1 length-mismatch, 1 not-an-object, 1 not-json, 1 wrong-shape), ' +
          `2 of them kept in ${file}`,
      );
      outcomes.push(rejectedOf(file).map(({ time, ...record }) => record));
    }
    expect(outcomes[0]).toMatchObject([{ code: 'not-json' }, { code: 'not-an-object' }]);
    expect(outcomes[1]).toEqual(outcomes[0]);
  });

  it('ends at a fault of one kind only, for any number of workers', async () => {
    const outcomes: unknown[] = [];
    for (const workers of ['1', '2']) {
      const given = ['--workers', workers, '--on-bad', 'length-mismatch=fail', input];
      const { code, stdout, stderr } = await tagstream([...tag, ...given]);
      expect(stderr).toContain('input.ndjson:6: 1 token but 2 tags');
      outcomes.push([code, idsOf(stdout), stderr]);
    }
    expect(outcomes[0]).toEqual([1, [1, 4], expect.any(String)]);
    expect(outcomes[1]).toEqual(outcomes[0]);
  });
});

describe('an input that is the wrong one', () => {
  const conll = join(folder, 'not.ndjson');
  beforeAll(() => writeFileSync(conll, 'the X DET\ndog X NOUN\n\n'.repeat(2000)));

  it.each(['1', '2'])(
    'ends the run after 1000 records, with %s workers',
    { tags: 'slow' },
    async workers => {
      const given = ['--workers', workers, '--format', 'ndjson', conll];
      const { code, stdout, stderr } = await tagstream([...tag, ...given]);
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr).toContain(
        'not.ndjson: 1000 of 1000 records are bad (100 %), 1000 of them not-json, first at ',
      );
      expect(stderr).toContain('is it NDJSON? if not, name its format with --format');
      expect(stderr).toContain('1000 bad records (1000 not-json)');
    },
  );

  it.each(['1', '2'])(
    'after as many as are allowed, with %s workers',
    { tags: 'slow' },
    async workers => {
      const given = ['--workers', workers, '--max-error-rate', '0.4', '--error-rate-after', '6'];
      const { code, stdout, stderr } = await tagstream([...tag, ...given, input]);
      expect(stderr).toContain('4 of 6 records are bad (66.6 %), 1 of them not-json');
      expect(stderr).toContain('if the input is right, raise --max-error-rate)');
      expect([code, idsOf(stdout)]).toEqual([1, [1, 4]]);
    },
  );

  it('in a pipeline: what came before is written', async () => {
    const pipeline = taggingPipeline('{ maxErrorRate: 0.4, after: 6 }');
    const { code, stdout, stderr } = await tagstream(['run', pipeline]);
    expect(stderr).toContain('4 of 6 records are bad (66.6 %)');
    expect(stderr).toContain('if the input is right, raise maxErrorRate)');
    expect([code, idsOf(stdout)]).toEqual([1, [1, 4]]);
    const other = await tagstream(['run', pipeline, '--max-error-rate', '0.5']);
    expect(other.stderr).toContain('if the input is right, raise --max-error-rate)');
  });
});

describe('deadLetters of a pipeline', () => {
  it('are decided by the file, and by the command line before it', { tags: 'slow' }, async () => {
    const name = `by-file-${count}.ndjson`;
    const pipeline = taggingPipeline(
      `{ file: ${name}, policies: { wrong-shape: skip, length-mismatch: dead-letter } }`,
    );
    const { code, stdout } = await tagstream(['run', pipeline]);
    expect([code, idsOf(stdout)]).toEqual([0, [1, 4, 6]]);
    const file = join(folder, name);
    expect(codesOf(file)).toEqual(['not-json', 'not-an-object', 'length-mismatch']);
    expect(rejectedOf(file)[0]).toMatchObject({ line: 2, raw: lines[1], time: expect.any(String) });

    await tagstream(['run', pipeline, '--dead-letter', dead, '--on-bad', 'not-json=skip']);
    expect(codesOf(dead)).toEqual(['not-an-object', 'length-mismatch']);
    expect(codesOf(file)).toHaveLength(3);
    const strict = await tagstream(['run', pipeline, '--strict']);
    expect(strict.code).toBe(1);
    expect(strict.stderr).toContain('input.ndjson:2: not valid JSON');
    expect(codesOf(file)).toHaveLength(4);
    await tagstream(['run', pipeline, '--set', 'deadLetters.policies.not-json=skip']);
    expect(codesOf(file)).toHaveLength(6);
  });

  it.each([
    ['{ policies: { not-jso: skip } }', 'unknown key "not-jso" (did you mean not-json?'],
    ['{ file: a, maxErrorRate: 2 }', 'deadLetters.maxErrorRate'],
    ['{ maxBytes: 100 }', 'deadLetters.maxBytes'],
    ['{ default: dead-letter }', 'the policy keeps bad records, but no file is named'],
  ])('%s: refused', async (section, message) => {
    const run = async () => runPipeline(loadPipeline(taggingPipeline(section)), {});
    const refused = await run().catch((error: unknown) => error);
    expect(String(refused)).toContain(message);
    expect(exitCodeOf(refused)).toBe(78);
  });

  it('are refused by the command', async () => {
    const { code, stdout, stderr } = await tagstream(['run', taggingPipeline('{ maxBytes: 100 }')]);
    expect(stderr).toContain('deadLetters.maxBytes');
    expect([code, stdout]).toEqual([78, '']);
  });

  it('hold for training too', { tags: 'slow' }, async () => {
    const records = toyRecords(60);
    records[7] = '{"id":';
    records[9] = '{"tokens":["a"],"tags":[]}';
    writeFileSync(join(folder, 'holes.ndjson'), records.join('\n'));
    const never = join(folder, 'never.model');
    const given = ['train', toyPipeline(folder), '--model', never, '--dead-letter', dead];
    const set = ['--set', 'source.ndjson.files=[holes.ndjson]'];
    const failed = await tagstream([...given, ...set, '--on-bad', 'length-mismatch=fail']);
    expect(failed.stderr).toContain('holes.ndjson:10: ');
    expect([failed.code, existsSync(never)]).toEqual([1, false]);
    expect(codesOf(dead)).toEqual(['not-json', 'length-mismatch']);
    const passed = await tagstream([...given, ...set]);
    expect([passed.code, existsSync(never)]).toEqual([0, true]);
  });
});

describe('a file of rejected records that is full', () => {
  it('is rotated; rejected records dropped with the oldest are counted', {
    tags: 'slow',
  }, async () => {
    const bad = Array.from({ length: 6000 }, (_, i) => `{"id":${i},"x":"${'y'.repeat(600)}`);
    const good = ['{"id":1,"tokens":["the"]}'];
    const stdin = [...good, ...bad, ...good].join('\n');
    const limits = ['--dead-letter-bytes', String(2 ** 20), '--dead-letter-keep', '1'];
    const given = ['--dead-letter', dead, ...limits, '--max-error-rate', '1'];
    const { code, stdout, stderr } = await tagstream([...tag, ...given], { stdin });
    expect([code, idsOf(stdout)]).toEqual([0, [1, 1]]);
    const names = readdirSync(folder).filter(name => name.startsWith(`dead-${count}.`));
    expect(names.sort()).toEqual([`dead-${count}.ndjson`, `dead-${count}.ndjson.1`]);
    for (const name of names) {
      expect(statSync(join(folder, name)).size).toBeLessThanOrEqual(2 ** 20);
    }
    const kept = [...rejectedOf(`${dead}.1`), ...rejectedOf(dead)].map(({ raw }) => raw);
    expect(kept).toEqual(bad.slice(bad.length - kept.length));
    const dropped = Number(/(\d+) rejected records were dropped with the oldest/.exec(stderr)?.[1]);
    expect(dropped + kept.length).toBe(6000);

    // Both files are replayed, the older one first.
    const again = join(folder, 'again.ndjson');
    await tagstream([...tag, '--replay', dead, '--dead-letter', again, '--max-error-rate', '1']);
    expect(rejectedOf(again).map(({ raw }) => raw)).toEqual(kept);
  });
});

describe('a replay', () => {
  let rejected: readonly Rejected[];
  beforeAll(async () => {
    const file = join(folder, 'to-mend.ndjson');
    await tagstream([...tag, '--dead-letter', file, input]);
    rejected = rejectedOf(file);
    expect(rejected).toHaveLength(4);
  });
  beforeEach(() => {
    const mended = [
      '{"id":2,"tokens":["the"]}',
      'null',
      '{"id":3,"text":"a dog"}',
      rejected[3]!.raw,
    ];
    write(
      dead,
      rejected.map((record, i) => ({ ...record, raw: mended[i] })),
    );
  });

  it.each(['1', '2'])('tags what was mended, by %s workers', { tags: 'slow' }, async workers => {
    const again = `${dead}.again`;
    const given = ['--workers', workers, '--replay', dead, '--dead-letter', again];
    const { code, stdout, stderr } = await tagstream([...tag, ...given]);
    expect(code).toBe(0);
    expect(stdout.split('\n')[0]).toBe('{"id":2,"tokens":["the"],"tags":["DET"]}');
    expect(idsOf(stdout)).toEqual([2, 3]);
    expect(stderr).toContain('input.ndjson:3: expected a JSON object, got null');
    const without = (file: string) => rejectedOf(file).map(({ time, ...record }) => record);
    expect(without(again)).toEqual([1, 3].map(i => without(dead)[i]));
  });

  it('runs a pipeline on them, whatever its source', async () => {
    const pipeline = taggingPipeline('', 'gone.ndjson');
    const { code, stdout, stderr } = await tagstream(['run', pipeline, '--replay', dead]);
    expect([code, idsOf(stdout)]).toEqual([0, [2, 3]]);
    expect(stderr).toContain('2 bad records (1 length-mismatch, 1 not-an-object)');
  });

  it('refuses to write into the file that it reads', async () => {
    const before = readFileSync(dead, 'utf8');
    const refused = 'the dead letters to replay';
    const same = await tagstream([...tag, '--replay', dead, '--dead-letter', dead]);
    expect([same.code, same.stderr]).toEqual([2, expect.stringContaining(refused)]);
    const out = await tagstream([...tag, '--replay', dead, '--out', dead]);
    expect([out.code, out.stderr]).toEqual([2, expect.stringContaining(refused)]);
    const pipeline = taggingPipeline(`{ file: dead-${count}.ndjson }`);
    const run = await tagstream(['run', pipeline, '--replay', dead]);
    expect([run.code, run.stderr]).toEqual([2, expect.stringContaining(refused)]);
    // A full file of rejected records would become the one that is read.
    writeFileSync(`${dead}.1`, before);
    const rotated = await tagstream([...tag, '--replay', `${dead}.1`, '--dead-letter', dead]);
    expect([rotated.code, rotated.stderr]).toEqual([2, expect.stringContaining(refused)]);
    expect(readFileSync(dead, 'utf8')).toBe(before);
  });

  it('refuses to replace what came of the whole source', async () => {
    const existing = taggingPipeline('', 'input.ndjson', 'sink: { file: tagged.ndjson }\n');
    writeFileSync(join(folder, 'tagged.ndjson'), 'precious');
    const sink = await tagstream(['run', existing, '--replay', dead]);
    expect(sink.stderr).toContain('a replay would overwrite the file of its sink');
    expect(readFileSync(join(folder, 'tagged.ndjson'), 'utf8')).toBe('precious');
    const other = ['run', existing, '--replay', dead, '--set', 'sink.file=-'];
    expect(idsOf((await tagstream(other)).stdout)).toEqual([2, 3]);
    const train = ['run', toyPipeline(folder), '--replay', dead];
    const trained = await tagstream(train);
    expect(trained.stderr).toContain('a replay would train a model on only the rejected records');
    expect([sink.code, trained.code]).toEqual([78, 2]);
    const set = [
      '--set',
      'stages=[featurize,batch,{contribute: {loss: log}},{optimize: {sgd: {}}},{checkpoint: {dir: c}}]',
    ];
    expect(
      (await tagstream(['run', toyPipeline(folder), '--resume', '--replay', dead, ...set])).code,
    ).toBe(2);
  });

  it('keeps rejected records that have only the beginning of their record, and says so', async () => {
    const record = { ...rejectedOf(dead)[0]!, raw: '{"text":"ab', truncated: true };
    write(dead, [record]);
    const again = `${dead}.again`;
    const { code, stdout, stderr } = await tagstream([
      ...[...tag, '--replay', dead, '--dead-letter', again],
    ]);
    expect([code, stdout]).toEqual([1, '']);
    expect(rejectedOf(again)).toEqual([{ ...record, time: expect.any(String) }]);
    expect(stderr).toContain('1 of them kept with their first bytes only');
  });

  it('reads sentences of several lines', async () => {
    const rows = 'the X DET\ndog X\ncat\n\nthe X DET\n\n';
    const format = ['--format', 'conll'];
    const given = [...tag, ...format, '--on-bad', 'dead-letter', '--dead-letter', `${dead}.rows`];
    const { stdout } = await tagstream(given, { stdin: rows });
    expect(stdout).toBe('the X DET DET\n\n');
    const [record] = rejectedOf(`${dead}.rows`);
    expect(record).toMatchObject({ line: 3, recordLine: 1, raw: 'the X DET\ndog X\ncat' });
    write(`${dead}.rows`, [{ ...record, raw: 'the X DET\ndog X NOUN' }]);
    const again = await tagstream([...tag, ...format, '--replay', `${dead}.rows`]);
    expect([again.code, again.stdout]).toEqual([0, 'the X DET DET\ndog X NOUN NOUN\n\n']);
  });

  it('says that there is no such file', async () => {
    const { code, stderr } = await tagstream([...tag, '--replay', join(folder, 'absent')]);
    expect(stderr).toMatch(/cannot read .*absent: no such file/);
    expect(code).toBe(1);
  });
});
