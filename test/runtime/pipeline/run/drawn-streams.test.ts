import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { TagstreamError } from '../../../../src/engine/core/errors.js';
import { Random } from '../../../../src/engine/core/random.js';
import { RunStatus } from '../../../../src/engine/core/run-status.js';
import { parsePipeline } from '../../../../src/runtime/pipeline/loading/load-pipeline.js';
import { runPipeline } from '../../../../src/runtime/pipeline/run/run-pipeline.js';
import { workspace } from '../../../cli/commands/workspace.js';
import { readPage } from '../../../house/docs/page.js';
import { isNightly, testSeed } from '../../../house/long-forms.js';
import { type DrawnStream, drawPipeline, drawStream, type Line } from './drawn-streams.js';

const root = join(import.meta.dirname, '../../../..');
const folder = workspace();

type Definition = Record<string, unknown>;
type Stage = Record<string, Record<string, unknown>>;

/** The names of the stages of a definition; a stage without options is only a name. */
const stagesOf = ({ stages }: Definition): Stage[] =>
  (stages as readonly (Stage | string)[]).map(stage =>
    typeof stage === 'string' ? { [stage]: {} } : structuredClone(stage),
  );
const optionsOf = (definition: Definition, name: string) =>
  stagesOf(definition).find(stage => name in stage)?.[name];

/** The pipelines of the pages and those shipped that learn from a stream, by name. */
function learningPipelines(): ReadonlyMap<string, Definition> {
  const pages = [
    'README.md',
    ...readdirSync(join(root, 'pipelines')).map(name => `pipelines/${name}`),
    ...readdirSync(join(root, 'src'), { recursive: true }).map(name => `src/${String(name)}`),
  ].filter(name => name.endsWith('.md'));
  const blocks = pages.flatMap(page =>
    readPage(root, page)
      .blocks.filter(({ language }) => language === 'yaml')
      .map(({ name, code }): [string, string] => [`${page}: ${name}`, code]),
  );
  const shipped = readdirSync(join(root, 'pipelines'), { recursive: true })
    .map(name => `pipelines/${String(name)}`)
    .filter(name => name.endsWith('.yaml'))
    .map((name): [string, string] => [name, readFileSync(join(root, name), 'utf8')]);
  const found = new Map<string, Definition>();
  for (const [name, text] of [...blocks, ...shipped]) {
    if (!/^version: 1$/m.test(text)) continue;
    const definition = parse(text) as Definition;
    if (!Array.isArray(definition.stages)) continue;
    const train = definition.train as Definition | undefined;
    if (train?.epochs !== undefined || train?.cluster !== undefined) continue;
    // Its stages may drop records.
    if (definition.use !== undefined) continue;
    if (optionsOf(definition, 'optimize') === undefined) continue;
    found.set(name, definition);
  }
  return found;
}

/** A pipeline at its places in a folder, over a stream. */
function placed(definition: Definition, place: string, stream: DrawnStream) {
  mkdirSync(place, { recursive: true });
  const write = (name: string, lines: readonly Line[]) =>
    writeFileSync(join(place, name), lines.map(line => `${JSON.stringify(line)}\n`).join(''));
  write('records.ndjson', stream.records);
  if (stream.labels !== undefined) write('labels.ndjson', stream.labels);
  const stages = stagesOf(definition).map(stage => {
    const [[name, options]] = Object.entries(stage) as [[string, Definition]];
    const places: Definition = {};
    if (name === 'join' && options.labels !== undefined) {
      places.labels = { ndjson: { files: ['labels.ndjson'] } };
    }
    if (name === 'ask') Object.assign(places, { file: 'questions.ndjson', to: undefined });
    if (name === 'checkpoint') places.dir = 'checkpoints';
    return { [name]: { ...options, ...places } };
  });
  const text = JSON.stringify({
    version: 1,
    name: 'drawn',
    ...{ ...definition, deploy: undefined },
    ...{ source: { ndjson: { files: ['records.ndjson'] } }, stages, model: 'out.model' },
    ...(stages.some(stage => 'tag' in stage) ? { sink: { file: 'out.ndjson' } } : {}),
    deadLetters: { file: 'dead.ndjson' },
  });
  return parsePipeline(text, join(place, 'p.yaml'));
}

interface Outcome {
  readonly out: readonly (Line & { readonly tags?: readonly (string | null)[] })[];
  readonly dead: readonly { readonly code: string; readonly line: Line }[];
  readonly status: RunStatus;
  readonly bytes: string;
}

class Crash extends Error {}

/** Draws a pipeline that is not refused. */
function drawAccepted(random: Random): Definition {
  for (;;) {
    const definition = drawPipeline(random);
    try {
      placed(definition, join(folder, 'drawn'), { records: [], labels: [] });
      return definition;
    } catch (thrown) {
      if (!(thrown instanceof TagstreamError)) throw thrown;
    }
  }
}

/** Runs a stream to its end; with `crashes`, after runs that end with an error at these steps. */
async function run(
  definition: Definition,
  stream: DrawnStream,
  place: string,
  crashes: readonly number[] = [],
): Promise<Outcome> {
  rmSync(place, { recursive: true, force: true });
  const pipeline = placed(definition, place, stream);
  let status = new RunStatus();
  for (const [i, crash] of [...crashes, Number.POSITIVE_INFINITY].entries()) {
    status = new RunStatus();
    let steps = 0;
    const onStep = () => {
      steps += 1;
      if (steps > crash) throw new Crash('the run is killed');
    };
    try {
      await runPipeline(pipeline, {
        ...{ status, resume: i > 0, events: { onStep } },
      });
      break;
    } catch (thrown) {
      if (!(thrown instanceof Crash)) throw thrown;
    }
  }
  const read = (name: string) =>
    existsSync(join(place, name)) ? readFileSync(join(place, name), 'utf8') : '';
  const lines = (name: string) =>
    read(name)
      .split('\n')
      .filter(line => line !== '')
      .map(line => JSON.parse(line));
  const dead = lines('dead.ndjson').map(({ code, raw }) => ({ code, line: JSON.parse(raw) }));
  return { out: lines('out.ndjson'), dead, status, bytes: read('out.ndjson') };
}

const isRecord = (line: Line) => line.tokens !== undefined || line.text !== undefined;
const sameRecord = (line: Line) => JSON.stringify([line.id, line.text ?? line.tokens]);

/** What scores and labels a stream should have, from what was written. */
function reference({ records, labels }: DrawnStream, kept: readonly Line[], { out }: Outcome) {
  const score = { sentences: 0, tokens: 0, equal: 0 };
  const counts = { joined: 0, doubled: 0, contradicted: 0, waiting: 0 };
  const determined = (tag: unknown) => {
    const all = [tag].flat();
    return typeof all[0] === 'string' && new Set(all).size === 1 ? all[0] : undefined;
  };
  const add = (
    gold: readonly unknown[],
    tags: readonly (string | null)[],
    sentences: Line['sentences'],
  ) => {
    for (const [start, end] of sentences ?? [[0, gold.length]]) {
      const known = gold.slice(start, end).map(determined);
      const tokens = known.filter(tag => tag !== undefined).length;
      if (tags.includes(null) || tokens === 0) continue;
      score.sentences += 1;
      score.tokens += tokens;
      score.equal += known.filter((tag, t) => tag !== undefined && tag === tags[start + t]).length;
    }
  };
  const late = [...(labels ?? []), ...records.filter(line => !isRecord(line))];
  for (const [i, line] of kept.entries()) {
    const tags = out[i]!.tags!;
    const own = line.tags as readonly unknown[] | undefined;
    const said = own?.some(tag => tag !== null) === true ? own : undefined;
    if (said !== undefined) add(said, tags, line.sentences);
    let isWhole = own !== undefined && !own.includes(null) && !own.some(t => [t].flat().length > 1);
    const known: unknown[] = tags.map((_, t) => said?.[t] ?? null);
    for (const label of late.filter(({ id }) => id === line.id && line.id !== undefined)) {
      const list = Array.isArray(label.tags) ? label.tags : undefined;
      const entries: [number, unknown][] =
        list === undefined
          ? Object.entries(label.tags ?? {}).map(([t, tag]) => [Number(t), tag])
          : [...list.entries()];
      const isWrong =
        (list !== undefined && list.length !== tags.length) ||
        entries.some(([t]) => t >= tags.length);
      if (isWrong && !isWhole) continue;
      const fresh = known.map(() => null as unknown);
      let contradicts = false;
      for (const [t, tag] of entries) {
        if (tag === null) continue;
        const [before, now] = [determined(known[t] ?? null), determined(tag)];
        if ((known[t] ?? null) === null) {
          if (!isWhole) fresh[t] = tag;
        } else if (before !== undefined && now !== undefined && before !== now) contradicts = true;
      }
      const isNews = fresh.some(tag => tag !== null);
      if (contradicts) counts.contradicted += 1;
      if (isNews) counts.joined += 1;
      else if (!contradicts) counts.doubled += 1;
      if (!isNews) continue;
      add(fresh, tags, line.sentences);
      for (const [t, tag] of fresh.entries()) if (tag !== null) known[t] = tag;
      isWhole = !known.includes(null);
    }
    if (line.id !== undefined && !isWhole) counts.waiting += 1;
  }
  return { score, counts };
}

async function check(definition: Definition, random: Random, place: string): Promise<boolean> {
  const joining = optionsOf(definition, 'join');
  const stream = drawStream(random, joining !== undefined, joining?.labels !== undefined);
  const outcome = await run(definition, stream, place).catch((thrown: unknown) => {
    // Such a run has nothing to show without a label.
    const isOnlyForModel = !['tag', 'ask', 'checkpoint'].some(name => optionsOf(definition, name));
    if (isOnlyForModel && (thrown as TagstreamError).code === 'empty-sentence') return undefined;
    throw thrown;
  });
  if (outcome === undefined) return false;
  const { out, dead, status } = outcome;
  const records = stream.records.filter(isRecord);
  const tags = optionsOf(definition, 'tag') !== undefined;
  // Each record once, in order: written or rejected.
  const lost = dead.filter(({ line }) => isRecord(line)).map(({ line }) => JSON.stringify(line));
  const kept = records.filter(line => {
    const i = lost.indexOf(JSON.stringify(line));
    if (i >= 0) lost.splice(i, 1);
    return i < 0;
  });
  expect(lost).toEqual([]);
  if (!tags) return false;
  expect(out.map(sameRecord)).toEqual(kept.map(sameRecord));
  for (const line of out) {
    const length = line.tokens?.length ?? line.text!.split(' ').length;
    expect(line.tags).toHaveLength(length);
    expect(new Set(line.tags!.map(tag => tag === null)).size).toBeLessThan(2);
  }
  const isOneByOne = ((optionsOf(definition, 'batch')?.sentences as number) ?? 1) === 1;
  if (isOneByOne) {
    const { score, counts } = reference(stream, kept, outcome);
    if (optionsOf(definition, 'evaluate')?.progressive === true) {
      const { sentences, tokens, accuracy } = status.progress!().all;
      const shown = { sentences, tokens, accuracy };
      const wanted = score.tokens === 0 ? null : (100 * score.equal) / score.tokens;
      expect(shown).toEqual({
        ...{ sentences: score.sentences, tokens: score.tokens },
        accuracy: wanted === null ? null : expect.closeTo(wanted, 9),
      });
    }
    if (joining !== undefined) expect(status.labels!()).toMatchObject(counts);
  }
  if (optionsOf(definition, 'checkpoint') === undefined) return false;
  const crashes = [random.below(6), random.below(6)];
  const resumed = await run(definition, stream, `${place}-resumed`, crashes);
  expect(resumed.bytes).toBe(outcome.bytes);
  // Records and labels are read from two files, whose bad lines come in any order.
  const inOrder = (found: Outcome['dead']) => found.map(each => JSON.stringify(each)).sort();
  expect(inOrder(resumed.dead)).toEqual(inOrder(outcome.dead));
  expect(resumed.status.progress?.()).toEqual(status.progress?.());
  expect(resumed.status.labels?.()).toEqual(status.labels?.());
  return true;
}

describe('drawn streams of labelled, late-labelled, partial, unlabelled, empty and wrong records', () => {
  const guides = learningPipelines();
  const count = Number(process.env.TAGSTREAM_STREAMS ?? (isNightly ? 2000 : 60));

  it('finds the pipelines of the guides', () => {
    expect([...guides.keys()]).toEqual(
      expect.arrayContaining([
        'pipelines/online.yaml',
        'pipelines/learning-on-a-stream.md: loop.yaml',
        'pipelines/drift.md: averaged.yaml',
        'pipelines/challengers.md: steps.yaml',
      ]),
    );
  });

  it(`lose no record, and are scored like a reference: ${count} streams`, async () => {
    const named = [...guides];
    const failures: string[] = [];
    const first = Number(process.env.TAGSTREAM_STREAMS_FIRST ?? 0);
    for (let i = first; i < first + count; i += 1) {
      const random = new Random(testSeed * 100_000 + i);
      const [name, drawn] =
        i % 3 === 0 ? named[(i / 3) % named.length]! : ['drawn', drawAccepted(random)];
      const definition =
        optionsOf(drawn, 'tag') === undefined && random.below(4) > 0
          ? { ...drawn, stages: [...stagesOf(drawn), 'tag'] }
          : drawn;
      try {
        await check(definition, random, join(folder, 'run'));
      } catch (thrown) {
        const what = `stream ${i} of TAGSTREAM_SEED=${testSeed}, ${name}: ${JSON.stringify(definition)}`;
        failures.push(`${what}: ${(thrown as Error).stack!.slice(0, 1500)}`);
        if (failures.length > 5) break;
      }
    }
    expect(failures).toEqual([]);
  });
});
