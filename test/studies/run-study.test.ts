import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { kernels } from '../../src/engine/models/kernels.js';
import { parseStudy, type StudyOptions } from '../../src/studies/load-study.js';
import { resultsOf, runStudy, type StudyRunOptions } from '../../src/studies/run-study.js';
import { variantName } from '../../src/studies/study-schema.js';
import { workspace } from '../cli/commands/workspace.js';
import { toyStudy, toyText } from './toy-study.js';

const folder = workspace();
const file = toyStudy(folder);
let count = 0;

/** A file of results of one's own. */
function fresh(): string {
  count += 1;
  return join(folder, `results-${count}.ndjson`);
}

/** Runs a study; names of the runs that were made, and of those that were known, with all values. */
async function make(
  results: string,
  text = toyText(),
  rest: Partial<StudyRunOptions> = {},
  options: StudyOptions = {},
) {
  const made: string[] = [];
  const known: string[] = [];
  const study = parseStudy(text, file, options);
  const runs = await runStudy(study, {
    results,
    onDone: ({ row, column }, _, was) => (was ? known : made).push(variantName(row, column)),
    ...rest,
  });
  const values = runs.map(({ measures }) => measures.values);
  return { made, known, values, runs };
}

const every = ['sgd / few', 'sgd / all', 'sparse / few', 'sparse / all'];

describe('runStudy', () => {
  it('makes all runs, the same each time, and knows them afterwards', {
    tags: 'slow',
  }, async () => {
    const results = fresh();
    const first = await make(results);
    expect([first.made, first.known]).toEqual([every, []]);
    expect(first.values.map(({ sentences }) => sentences)).toEqual([10, 60, 10, 60]);
    const again = await make(results);
    expect([again.made, again.known]).toEqual([[], every]);
    expect(again.runs.map(({ measures }) => measures.times)).toEqual(
      first.runs.map(({ measures }) => measures.times),
    );
    const anew = await make(results, toyText(), { fresh: true });
    expect(anew.made).toEqual(every);
    expect(anew.values).toEqual(first.values);
    expect(again.values).toEqual(first.values);
  });

  it('makes only what has changed', { tags: 'slow' }, async () => {
    const results = fresh();
    await make(results);
    const other = await make(results, toyText().replace('l1: 0.5', 'l1: 0.25'));
    expect(other.made).toEqual(every.slice(2));
    // Names, titles and tables do not make other results.
    const named = toyText('tables: [{ title: T, quantity: active }]').replace(
      '- name: few',
      '- name: ten',
    );
    expect((await make(results, named.replace('columns: [few]', 'columns: [ten]'))).made).toEqual(
      [],
    );
    expect((await make(results, toyText().replace('[accuracy,', '[accuracy, loss,'))).made).toEqual(
      every,
    );
    expect((await make(results)).made).toEqual([]);
    const course = toyText('course: { measure: [active] }');
    expect((await make(results, course)).made).toEqual(every);
    expect((await make(results, course)).made).toEqual([]);
    expect((await make(results, toyText(), { kernel: kernels.simd64 })).made).toEqual(every);
    expect((await make(results, toyText(), { version: '99' })).made).toEqual(every);
    const path = join(folder, 'test.ndjson');
    const data = readFileSync(path, 'utf8');
    writeFileSync(path, data.split('\n').slice(1).join('\n'));
    expect((await make(results)).made).toEqual(every);
    writeFileSync(path, data);
    expect((await make(results)).made).toEqual([]);
  });

  it('makes models of another scorer or with hidden states, not those of another file', {
    tags: 'slow',
  }, async () => {
    const results = fresh();
    await make(results);
    const model = (value: string) =>
      toyText().replace('epochs: 3 }', `epochs: 3, stages.contribute.loss: log, model: ${value} }`);
    expect((await make(results, model('other.model'))).made).toEqual([]);
    expect((await make(results, model('{ scorer: linear, hidden: 1 }'))).made).toEqual([]);
    expect((await make(results, model('{ scorer: memm }'))).made).toEqual(every);
    const hidden = await make(results, model('{ hidden: 2 }'));
    expect(hidden.made).toEqual(every);
    const seeded = await make(results, model('{ hidden: { states: 2, seed: 2 } }'));
    expect(seeded.made).toEqual(every);
    expect(seeded.values).not.toEqual(hidden.values);
  });

  it('continues after a stop, and after a line that is not whole', async () => {
    const results = fresh();
    const stop = new AbortController();
    const stopped = await make(results, toyText(), {
      signal: stop.signal,
      onBegin: ({ row }) => {
        if (row === 'sparse') stop.abort();
        return undefined;
      },
    });
    expect(stopped.runs).toHaveLength(2);
    const text = readFileSync(results, 'utf8');
    writeFileSync(results, text.slice(0, -40));
    const rest = await make(results);
    expect([rest.made, rest.known]).toEqual([every.slice(1), every.slice(0, 1)]);
    appendFileSync(
      results,
      'nonsense\n{"digest":"x","values":{"active":"1"},"times":{},"course":[]}\n',
    );
    expect((await make(results)).known).toEqual(every);
  });

  it('runs again what has another scorer or structure, and not what goes to another file', async () => {
    const results = fresh();
    const one = { only: ['sgd/all'] };
    const withModel = (model: string) =>
      toyText().replace('set: { train.epochs: 3 }', `set: { train.epochs: 3, model: ${model} }`);
    expect((await make(results, toyText(), {}, one)).made).toHaveLength(1);
    expect((await make(results, withModel('other.model'), {}, one)).made).toHaveLength(0);
    for (const kind of ['structure: segments', 'structure: segments, maxLength: 2']) {
      expect((await make(results, withModel(`{ ${kind} }`), {}, one)).made).toHaveLength(1);
    }
  });

  it('repeats with other seeds', async () => {
    const text = toyText('replications: { count: 3 }');
    const { values } = await make(fresh(), text, {}, { only: ['sgd/all'] });
    expect(values).toHaveLength(3);
    expect(new Set(values.map(({ objective }) => objective)).size).toBe(3);
  });

  it('keeps results where the study says, and nothing else', async () => {
    const study = parseStudy(toyText('results: kept/here.ndjson'), file, { small: true });
    expect(resultsOf(study)).toBe(join(folder, 'kept/here.ndjson'));
    await runStudy(study, {});
    expect(readFileSync(join(folder, 'kept/here.ndjson'), 'utf8').split('\n')).toHaveLength(2);
    expect(existsSync(join(folder, 'toy.model'))).toBe(false);
    expect(resultsOf(parseStudy(toyText(), file))).toBe(join(folder, 'toy-study.results.ndjson'));
  });

  it('finds out about missing data before it trains', async () => {
    const text = toyText().replace(
      '- name: all',
      '- name: all\n    set: { source.ndjson.files: [none.ndjson] }',
    );
    const results = fresh();
    await expect(make(results, text)).rejects.toThrow(/none.ndjson does not exist/);
    expect(existsSync(results)).toBe(false);
  });
});
