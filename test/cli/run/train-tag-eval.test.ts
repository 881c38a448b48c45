import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { tagstream } from '../commands/run-command.js';
import { toyPipeline, toyRecords, workspace } from '../commands/workspace.js';

const folder = workspace();
const model = join(folder, 'toy.model');

beforeAll(async () => {
  const trained = await tagstream(['train', toyPipeline(folder)]);
  expect(trained.stderr).toContain('trained on 360 sentences');
  expect(trained).toMatchObject({ code: 0, stdout: '' });
});

describe('tagstream train', () => {
  it('reports loss, rate and remaining time, where the model is and what to try', async () => {
    const { stderr } = await tagstream(['train', join(folder, 'toy.yaml')]);
    expect(stderr).toMatch(/pass 6\/6 {2}loss \d\.\d{4} per token {2}[\d,]+ sentences\/s/);
    expect(stderr).toContain(`model: ${model}`);
    expect(stderr).toContain('try:   tagstream tag --model');
  });

  it('writes the same bytes for the same seed, other bytes for another', async () => {
    const [a, b, c] = ['a', 'b', 'c'].map(name => join(folder, `${name}.model`));
    const pipeline = join(folder, 'toy.yaml');
    await tagstream(['train', pipeline, '--model', a!]);
    await tagstream(['train', pipeline, '--model', b!]);
    await tagstream(['train', pipeline, '--model', c!, '--set', 'train.seed=8']);
    expect(readFileSync(a!).equals(readFileSync(b!))).toBe(true);
    expect(readFileSync(a!).equals(readFileSync(c!))).toBe(false);
  });

  it('prints JSON for machines, also of a pipeline from the standard input, whose paths start where it runs', async () => {
    const stdin = readFileSync(join(folder, 'toy.yaml'));
    const { stdout } = await tagstream(['train', '-', '--json'], { cwd: folder, stdin });
    const result = JSON.parse(stdout) as Record<string, unknown>;
    expect(result).toMatchObject({ sentencesSeen: 360, stopped: false, model });
  });
});

describe('tagstream tag', () => {
  it('tags the standard input, one line for each, in order', async () => {
    const stdin = `${toyRecords(50, false).join('\n')}\n`;
    const { code, stdout } = await tagstream(['tag', '--model', model], { stdin });
    const out = stdout
      .trim()
      .split('\n')
      .map(line => JSON.parse(line) as { id: string; tags: string[] });
    const gold = toyRecords(50).map(line => JSON.parse(line) as { id: string; tags: string[] });
    expect(code).toBe(0);
    expect(out.map(({ id, tags }) => ({ id, tags }))).toEqual(
      gold.map(({ id, tags }) => ({ id, tags })),
    );
  });

  it('keeps what is not its own byte for byte, and gold tags as gold', async () => {
    const stdin =
      '{"n":12345678901234567890, "x":1.0,"tokens":["the","dog"],"tags":["A","B"],"z":1e400}\n';
    const { stdout } = await tagstream(['tag', '--model', model], { stdin });
    expect(stdout).toBe(
      '{"n":12345678901234567890, "x":1.0,"tokens":["the","dog"],"gold":["A","B"],"z":1e400,"tags":["DET","NOUN"]}\n',
    );
  });

  it('tags a text of three sentences as one record', async () => {
    const stdin = '{"id":7,"text":"The dog runs. A cat sees. The old house."}\n';
    const { stdout } = await tagstream(['tag', '--model', model, '--scores', '--marginals'], {
      stdin,
    });
    const record = JSON.parse(stdout) as Record<string, unknown[]>;
    expect(record.sentences).toEqual([
      [0, 4],
      [4, 8],
      [8, 12],
    ]);
    expect(record.tokens).toHaveLength(12);
    expect(record.offsets).toHaveLength(12);
    expect(record.tags).toHaveLength(12);
    expect(record.scores ?? record.score).toHaveLength(3);
    expect(record.marginals).toHaveLength(12);
  });

  it('writes the shortest form, reads and writes gzip', async () => {
    const input = join(folder, 'in.ndjson.gz');
    const output = join(folder, 'out.ndjson.gz');
    writeFileSync(input, gzipSync('{"id":"q","tokens":["the","cat"]}\n'));
    const given = ['tag', '--model', model, '--output', 'tags', '--out', output, input];
    expect((await tagstream(given)).code).toBe(0);
    expect(gunzipSync(readFileSync(output)).toString()).toBe('{"id":"q","tags":["DET","NOUN"]}\n');
  });

  it('tags CoNLL columns and CoNLL-U', async () => {
    const rows = await tagstream(['tag', '--model', model, '--format', 'conll'], {
      stdin: 'the X DET\ndog X NOUN\n\n',
    });
    expect(rows.stdout).toBe('the X DET DET\ndog X NOUN NOUN\n\n');
    const blank = '_\t_\t_\t_\t_\t_\t_';
    const ud = await tagstream(['tag', '--model', model, '--format', 'conllu'], {
      stdin: `# text = the dog\n1-2\tthedog\t_\t${blank}\n1\tthe\tthe\t${blank}\n2\tdog\tdog\t${blank}\n2.1\tx\tx\t${blank}\n\n`,
    });
    const cells = ud.stdout.split('\n').map(row => row.split('\t'));
    expect(cells.map(row => row[3])).toEqual([
      undefined,
      '_',
      'DET',
      'NOUN',
      '_',
      undefined,
      undefined,
    ]);
  });
});

describe('tagstream eval', () => {
  it('prints one object with accuracy, and spans only for span schemes', async () => {
    const gold = join(folder, 'gold.ndjson');
    writeFileSync(gold, toyRecords(20).join('\n'));
    const { stdout } = await tagstream(['eval', '--model', model, gold, '--json']);
    expect(JSON.parse(stdout)).toEqual({
      ...{ sentences: 20, tokens: 90, accuracy: 100, skipped: 0 },
      warnings: [expect.stringContaining('trained on')],
    });
  });
});

describe('tagstream convert', () => {
  it('goes from NDJSON to CoNLL-U and back', async () => {
    const from = join(folder, 'gold2.ndjson');
    const ud = join(folder, 'gold2.conllu');
    writeFileSync(from, `${toyRecords(5).join('\n')}\n`);
    await tagstream(['convert', from, '--to', 'conllu', '--out', ud]);
    const back = await tagstream(['convert', ud, '--to', 'ndjson']);
    const tokensAndTags = (text: string) =>
      text
        .trim()
        .split('\n')
        .map(line => JSON.parse(line) as { id: string; tokens: string[]; tags: string[] })
        .map(({ id, tokens, tags }) => ({ id, tokens, tags }));
    expect(tokensAndTags(back.stdout)).toEqual(tokensAndTags(readFileSync(from, 'utf8')));
    expect(existsSync(ud)).toBe(true);
  });

  it('counts values that the format cannot hold; with --strict they end it', async () => {
    const stdin =
      '{"tokens":["a"],"tags":["X"]}\n{"tokens":["b\\nc","\\ud83d"],"tags":["X","X"]}\n';
    const given = ['convert', '--from', 'ndjson', '--to', 'conllu'];
    const { code, stderr } = await tagstream(given, { stdin });
    expect(stderr).toContain(
      '2 values replaced that conllu cannot hold, the first at <stdin>:2: "b\\nc" became "b_c"',
    );
    const strict = await tagstream([...given, '--strict'], { stdin });
    expect(strict.stderr).toContain(
      '<stdin>:2: conllu cannot represent the value "b\\nc" unchanged',
    );
    expect([code, strict.code]).toEqual([0, 1]);
  });

  it('takes columns on both sides', async () => {
    const { stdout } = await tagstream(
      ['convert', '--from', 'conll:{columns: [tag, form]}', '--to', 'conll:{columns: [form, tag]}'],
      { stdin: 'X a\nY b\n\n' },
    );
    expect(stdout).toBe('a X\nb Y\n\n');
  });
});
