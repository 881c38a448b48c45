import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { packMinibatch } from '../../../src/engine/core/minibatch/pack-minibatch.js';
import { Random } from '../../../src/engine/core/random.js';
import { type DeploymentComparison, RunStatus } from '../../../src/engine/core/run-status.js';
import type { Sentence } from '../../../src/engine/core/sentence/sentence.js';
import { readModel, writeModel } from '../../../src/engine/models/files/model-file.js';
import { DeploymentGate } from '../../../src/engine/models/learning/deployment-gate.js';
import { parsePipeline, runPipeline } from '../../../src/index.js';
import { aliasKey, promote, standingAlias } from '../../../src/nats/registry/aliases.js';
import { readAlias } from '../../../src/nats/registry/entries.js';
import { type ModelRegistry, openRegistry } from '../../../src/nats/registry/open-registry.js';
import { pullModel, pushModel, sha256, versionsOf } from '../../../src/nats/registry/versions.js';
import { DeadLetters } from '../../../src/runtime/io/dead-letters/dead-letters.js';
import { Deployment } from '../../../src/runtime/pipeline/tagging/registered/deployment.js';
import { runMetrics } from '../../../src/service/telemetry/run-metrics.js';
import { root, tagstream } from '../../cli/commands/run-command.js';
import { workspace } from '../../cli/commands/workspace.js';
import { syntheticCorpus } from '../../engine/models/examples/synthetic-corpus.js';
import { train } from '../../engine/models/examples/train.js';
import { attackCount, reportCounts } from '../../faults/long-form.js';
import { randomOf } from '../../faults/seed.js';
import { describeNats, natsServers } from '../server.js';

const folder = workspace();
const at = (name: string) => join(folder, name);
const corpus = syntheticCorpus(new Random(3), 600, { wordsPerLabel: 40 });
// In the middle all labels change places, so that another learner is better for a while.
const labels = [...new Set(corpus.flatMap(({ tags }) => tags!))];
const movedTag = (tag: string) => labels[(labels.indexOf(tag) + 1) % labels.length]!;
const lines = corpus.map(({ tokens, tags }, id) => {
  return JSON.stringify({ id, tokens, tags: id < 300 ? tags : tags!.map(movedTag) });
});

/** What a pipeline compares with the deployed model. */
interface Compared {
  readonly contest: boolean;
  readonly records: number;
}

const text = (name: string, { contest = true, records = 40 }: Partial<Compared> = {}) => `version: 1
name: deployed
source: { ndjson: { files: [stream.ndjson] } }
stages:
  - featurize: { templates: ["U00:%x[0,0]", "B"] }
  - batch: { sentences: 1 }
  - contribute
  - optimize: { sgd: { eta0: 0.001, l2: 0.1 } }
  - checkpoint: { dir: checkpoints, sentences: 40 }
  - tag
train: { corpusSize: 1000 }
${contest ? 'challenge: { learners: { quick: { stages.optimize: { adagrad: { eta0: 0.1 } } } } }' : ''}
model: ${name}.model
deploy: { to: "nats://${name}@production", records: ${records} }
sink: { file: out.ndjson }
`;

/** Runs a stream, and kills itself so many steps after the beginning, or after a new champion, for which it waits for a line. */
const killing = `import { readSync, writeSync } from 'node:fs';
import { parsePipeline, runPipeline } from ${JSON.stringify(resolve(root, 'dist/index.js'))};
const [name, resume, first, after] = process.argv.slice(1);
let left = Number(first);
await runPipeline(parsePipeline(${JSON.stringify(text('NAME'))}.replaceAll('NAME', name), 'deployed.yaml'), {
  ...{ resume: resume === 'true', registry: { nats: 'nats.yaml' } },
  events: {
    onChampion: () => {
      writeSync(1, 'champion');
      readSync(0, Buffer.alloc(1));
      left = Math.min(left, Number(after));
    },
    onStep: () => {
      if (left-- === 0) process.kill(process.pid, 'SIGKILL');
    },
  },
});`;

describeNats('a stream that deploys its champions', () => {
  const servers = natsServers();
  let registry: ModelRegistry;
  const choice = () => ({ nats: at('nats.yaml') });

  beforeAll(async () => {
    writeFileSync(at('stream.ndjson'), `${lines.join('\n')}\n`);
    writeFileSync(at('nats.yaml'), `servers: ${servers().url}\nbucket: models\ngiveUp: 1\n`);
    const options = { servers: servers().url, giveUp: 60, bucket: 'models', create: true };
    registry = await openRegistry(options, file => resolve(folder, file));
    return () => registry.close();
  });

  interface Given extends Partial<Compared> {
    readonly resume?: boolean;
    readonly stopAt?: number;
    /** Called at each step, when the champion before is known. */
    readonly onStep?: (step: number) => void | Promise<void>;
    readonly onChampion?: () => void;
  }
  async function run(name: string, given: Given = {}) {
    const controller = new AbortController();
    const status = new RunStatus();
    const failed: string[] = [];
    const kept: DeploymentComparison[] = [];
    const champions: { readonly to: string; readonly sentences: number }[] = [];
    const pipeline = parsePipeline(text(name, given), at('deployed.yaml'));
    const result = await runPipeline(pipeline, {
      ...{ resume: given.resume ?? false, signal: controller.signal, status },
      registry: choice(),
      deadLetters: new DeadLetters({ policy: 'fail' }),
      events: {
        onChampion: ({ to, sentences }) => {
          champions.push({ to, sentences });
          given.onChampion?.();
        },
        onDeployFailed: (_, { message }) => failed.push(message),
        onDeployKept: (_, comparison) => kept.push(comparison),
        onStep: ({ step }) => {
          if (step >= (given.stopAt ?? Number.POSITIVE_INFINITY)) controller.abort();
        },
      },
    });
    return { result, status, failed, champions, kept };
  }
  const digests = async (name: string) =>
    (await versionsOf(registry, name)).map(({ digest }) => digest);
  const live = async (name: string) =>
    pullModel(registry, name, (await standingAlias(registry, name, 'production'))!);
  const clean = () => rmSync(at('checkpoints'), { recursive: true, force: true });

  it('pushes the model of each, and the alias stands for the finished one in the end', {
    tags: 'slow',
  }, async () => {
    const { result, status, champions, failed } = await run('whole');
    expect(failed).toEqual([]);
    expect(champions.map(({ to }) => to)).toContain('quick');
    const model = readFileSync(at('whole.model'));
    expect(Buffer.from(await live('whole')).equals(model)).toBe(true);
    const versions = await versionsOf(registry, 'whole');
    expect(versions.length).toBeGreaterThanOrEqual(2);
    expect(result.deployment).toMatchObject({
      ...{ address: 'whole@production', failures: 0 },
      version: { number: versions.length },
    });
    // What was pushed at the switch had learned from the sentences until then.
    const metrics = await runMetrics(status).metrics();
    expect(metrics).toContain(`tagstream_deployments_total ${result.deployment!.deployed}`);
    expect(metrics).toContain('tagstream_deployment_failures_total 0');
  });

  it('writes the model file of the champion at the switch', { tags: 'slow' }, async () => {
    clean();
    const { champions } = await run('whole');
    const { sentences } = champions[0]!;
    rmSync(at('whole.model'));
    clean();
    let atSwitch: Buffer | undefined;
    const controller = new AbortController();
    await runPipeline(parsePipeline(text('whole'), at('deployed.yaml')), {
      signal: controller.signal,
      registry: choice(),
      events: {
        onStep: ({ sentencesSeen }) => {
          if (sentencesSeen === sentences) atSwitch = readFileSync(at('whole.model'));
        },
      },
    });
    expect(atSwitch).toBeDefined();
    const first = (await versionsOf(registry, 'whole'))[0]!;
    expect(Buffer.from(await pullModel(registry, 'whole', first)).equals(atSwitch!)).toBe(true);
  });

  it('pushes the same bytes when it is stopped and resumed, each once', {
    tags: 'slow',
  }, async () => {
    clean();
    const { champions } = await run('stopped', { stopAt: 30 });
    expect(champions).toEqual([]);
    await run('stopped', { resume: true });
    const ofWhole = await digests('whole');
    const ofStopped = await digests('stopped');
    expect(ofStopped.at(-1)).toBe(ofWhole.at(-1));
    // The stopped run has deployed what it had then, too.
    expect(ofStopped).toEqual(expect.arrayContaining(ofWhole));
  });

  it('deploys what was pending when it was killed, each model once, and never goes back', {
    tags: 'slow',
  }, async () => {
    const random = randomOf(46);
    const counts = { runs: 0, kills: 0, paused: 0, pending: 0 };
    const ofWhole = await digests('whole');
    for (let i = 0; i < attackCount(1, 40); i += 1) {
      const name = `killed${i}`;
      clean();
      rmSync(at('out.ndjson'), { force: true });
      // The first one is killed when a checkpoint has what no registry could take.
      for (let kill = 0; kill === 0 || (i > 0 && kill < 4); kill += 1) {
        const isPaused = i === 0 || random.below(2) === 0;
        const after = i === 0 ? 45 : random.below(90);
        const first = i === 0 ? 10_000 : random.below(300);
        const given = [name, String(kill > 0), String(first), String(after)];
        const child = spawn(process.execPath, ['--input-type=module', '-e', killing, ...given], {
          ...{ cwd: folder, stdio: ['pipe', 'pipe', 'inherit'] },
        });
        child.stdout!.on('data', () => {
          if (isPaused) servers().pause();
          counts.paused += Number(isPaused);
          child.stdin!.write('\n');
        });
        child.stdin!.on('error', () => undefined);
        const [, signal] = await once(child, 'exit');
        servers().resume();
        counts.kills += Number(signal === 'SIGKILL');
        if (signal === null) break;
      }
      const before = await digests(name);
      if (i === 0) expect(before).toEqual([]);
      const { result } = await run(name, { resume: true });
      counts.runs += 1;
      counts.pending += Number(before.length === 0);
      expect(result.deployment!.failures).toBe(0);
      const found = await digests(name);
      // Of two that wait the newer one is deployed.
      if (i === 0) expect(found).toEqual(ofWhole);
      expect(found).toEqual(ofWhole.filter(digest => found.includes(digest)));
      expect(found.at(-1)).toBe(ofWhole.at(-1));
      const numbers: number[] = [];
      for await (const { value } of await registry.keys.history({
        key: aliasKey(name, 'production'),
      })) {
        numbers.push(readAlias(value, name).number);
      }
      expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
      expect(numbers.at(-1)).toBe(found.length);
      expect(readFileSync(at('out.ndjson'), 'utf8').trim().split('\n')).toHaveLength(lines.length);
    }
    reportCounts('kills of a run that deploys', counts);
    expect(counts.kills).toBeGreaterThan(0);
  });

  /** Makes a model of some records the deployed one, and returns its digest. */
  async function deployBefore(name: string, records: readonly Sentence[]): Promise<string> {
    const learner = train(records, { spec: { templates: 'U00:%x[0,0]\nB' }, passes: 5 });
    const bytes = writeModel(learner);
    const { version } = await pushModel(registry, { name, bytes, source: name, by: 'test' });
    await promote(registry, { name, alias: 'production', by: 'test', number: version.number });
    return version.digest;
  }
  const moved = corpus.map(sentence => ({ ...sentence, tags: sentence.tags!.map(movedTag) }));

  it.each([true, false])(
    'keeps a model that is better on recent records; challengers: %s',
    async contest => {
      clean();
      const name = `better-${contest}`;
      const digest = await deployBefore(name, corpus);
      const { result, kept, champions } = await run(name, { contest, stopAt: 280 });
      expect(champions.length > 0).toBe(contest);
      const { comparison, deployed, version } = result.deployment!;
      expect([deployed, version]).toEqual([0, undefined]);
      expect([comparison!.required, comparison!.records]).toEqual([40, 40]);
      expect(comparison!.errors).toBeGreaterThan(comparison!.deployedErrors);
      expect(kept.at(-1)).toEqual(comparison);
      expect((await standingAlias(registry, name, 'production'))!.digest).toBe(digest);
      // The model file is that of the champion nevertheless.
      expect(sha256(readFileSync(at(`${name}.model`)))).not.toBe(digest);
    },
  );

  it.each([true, false])(
    'replaces a model that is worse, after the records asked for; challengers: %s',
    { tags: 'slow' },
    async contest => {
      clean();
      const whole = `worse-${contest}`;
      await deployBefore(whole, corpus.slice(0, 4));
      const { result, kept, champions } = await run(whole, { contest, records: 200 });
      expect(result.deployment!.deployed).toBeGreaterThan(0);
      if (contest) {
        // The champion has waited: at the switch there were fewer.
        expect(champions[0]!.sentences).toBeLessThan(200);
        expect(kept[0]).toMatchObject({ required: 200, records: champions[0]!.sentences });
      }
      // The model has learned from as many sentences as were compared, or from all.
      clean();
      await run(`${whole}-until`, { contest, ...(contest && { stopAt: 200 }) });
      expect((await digests(whole))[1]).toBe(sha256(readFileSync(at(`${whole}-until.model`))));
      // Stopped and resumed, it decides the same.
      clean();
      const stopped = `stopped-worse-${contest}`;
      await deployBefore(stopped, corpus.slice(0, 4));
      const first = await run(stopped, { contest, records: 200, stopAt: 170 });
      expect(first.result.deployment!.deployed).toBe(0);
      await run(stopped, { contest, records: 200, resume: true });
      expect(await digests(stopped)).toEqual(await digests(whole));
    },
  );

  it('does not replace a model that another program has deployed since', async () => {
    const name = 'other';
    await deployBefore(name, corpus.slice(0, 4));
    const learner = train(corpus, { spec: { templates: 'U00:%x[0,0]\nB' }, passes: 1 });
    const gate = new DeploymentGate({ records: 3, model: learner.model });
    const kept: DeploymentComparison[] = [];
    const events = { onDeployKept: (_: string, given: DeploymentComparison) => kept.push(given) };
    const address = `nats://${name}@production`;
    const reporting = { events, status: undefined };
    const given = { isResumed: false, state: undefined };
    const open = () =>
      Deployment.open(address, choice(), reporting, given, {
        gate,
        read: bytes => readModel(bytes),
      });
    const deployment = await open();
    const batch = packMinibatch(corpus.slice(0, 5).map(each => learner.model.encodeKnown(each)));
    deployment.see(learner.contribute(batch, true));
    expect(deployment.counts.comparison).toMatchObject({ required: 3, records: 3 });
    expect(gate.isOpen).toBe(true);
    const since = await deployBefore(name, moved);
    await deployment.end(writeModel(learner));
    expect(kept).toMatchObject([{ required: 3, records: 0 }]);
    expect((await standingAlias(registry, name, 'production'))!.digest).toBe(since);
    expect(deployment.counts.deployed).toBe(0);
    await deployment.close();
  });

  it('goes on without the registry, counts and reports that, and deploys when it is back', {
    tags: 'slow',
  }, async () => {
    clean();
    let killing: Promise<void> | undefined;
    const ended = run('later', {
      onChampion: () => {
        killing ??= servers().kill();
      },
    });
    await new Promise(done => setTimeout(done, 100));
    while (killing === undefined) await new Promise(done => setTimeout(done, 20));
    await killing;
    await expect(ended).rejects.toThrow(/could not /);
    // All records were written nevertheless, and the model file too.
    expect(readFileSync(at('out.ndjson'), 'utf8').trim().split('\n')).toHaveLength(lines.length);
    const model = readFileSync(at('later.model'));
    await servers().restart();
    const { result } = await run('later', { resume: true });
    expect(Buffer.from(await live('later')).equals(model)).toBe(true);
    expect(result.deployment!.version).toBeDefined();
  });

  it('does not begin where there is no registry, and takes an alias on the command line', {
    tags: 'slow',
  }, async () => {
    clean();
    writeFileSync(at('deployed.yaml'), text('cli'));
    writeFileSync(at('none.yaml'), `servers: ${servers().url}\nbucket: none\n`);
    const none = await tagstream(['run', at('deployed.yaml'), '--nats', at('none.yaml')]);
    expect(none.code).toBe(78);
    expect(none.stderr).toContain('there is no registry of models in the bucket none');
    const given = ['--nats', at('nats.yaml'), '--deploy', 'nats://other@next', '--json'];
    const { code, stdout, stderr } = await tagstream(['run', at('deployed.yaml'), ...given]);
    expect(code, stderr).toBe(0);
    expect(stderr).toMatch(/deployed: other@next is version \d+ \([0-9a-f]{12}\)/);
    const { deployment } = JSON.parse(stdout) as { deployment: { address: string } };
    expect(deployment.address).toBe('other@next');
    expect((await standingAlias(registry, 'other', 'next'))!.number).toBeGreaterThan(0);
    const wrong = await tagstream(['run', at('deployed.yaml'), '--deploy', 'other@next']);
    expect(wrong.stderr).toContain('nats:// and NAME@ALIAS, such as ner@production');
  });
});
