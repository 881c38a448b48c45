import { createHash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { beforeAll, expect, it, vi } from 'vitest';
import { versionId } from '../../../src/engine/interfaces/model-address.js';
import type { StandingAlias } from '../../../src/engine/interfaces/registered-models.js';
import {
  aliasesOf,
  promote,
  resolveAddress,
  rollback,
  standingAlias,
  watchAlias,
} from '../../../src/nats/registry/aliases.js';
import {
  type ModelRegistry,
  openRegistry,
  type RegistryOptions,
} from '../../../src/nats/registry/open-registry.js';
import {
  modelNames,
  pullModel,
  pushModel,
  sha256,
  storedFile,
  storeFile,
  versionsOf,
} from '../../../src/nats/registry/versions.js';
import { workspace } from '../../cli/commands/workspace.js';
import { longForm } from '../../faults/long-form.js';
import { describeNats, type NatsServers, natsServers } from '../server.js';
import { toyModels } from './toy-models.js';

const folder = workspace();
const bytes: Record<'a' | 'b', Uint8Array> = {} as never;

beforeAll(async () => {
  const { a, b } = await toyModels(folder);
  bytes.a = readFileSync(a);
  bytes.b = readFileSync(b);
});

const opened = (servers: NatsServers, more: Partial<RegistryOptions> = {}) =>
  openRegistry(
    { servers: [...servers.urls], giveUp: 60, bucket: 'models', create: true, ...more },
    file => resolve(folder, file),
  );

const push = (registry: ModelRegistry, name: string, model: 'a' | 'b', by = 'me@here') =>
  pushModel(registry, { name, bytes: bytes[model], source: `${model}.model`, by });

describeNats('a registry of models', () => {
  const servers = natsServers();

  async function using(work: (registry: ModelRegistry) => Promise<void>): Promise<void> {
    const registry = await opened(servers());
    try {
      await work(registry);
    } finally {
      await registry.close();
    }
  }

  it('is created only when that is asked for', async () => {
    const open = opened(servers(), { bucket: 'absent', create: false });
    await expect(open).rejects.toMatchObject({
      code: 'config',
      message: expect.stringContaining('there is no registry of models in the bucket absent'),
    });
    await (await opened(servers(), { bucket: 'absent' })).close();
    await (await opened(servers(), { bucket: 'absent', create: false })).close();
  });

  it('gives back what was pushed, and knows it again', () =>
    using(async registry => {
      const first = await push(registry, 'ner', 'a');
      expect(first).toMatchObject({ isNew: true, version: { number: 1, by: 'me@here' } });
      const second = await push(registry, 'ner', 'b');
      expect(second.version.number).toBe(2);
      expect(await push(registry, 'ner', 'a', 'you@there')).toEqual({
        version: first.version,
        isNew: false,
      });
      const digest = createHash('sha256').update(bytes.a).digest('hex');
      expect(first.version).toMatchObject({
        ...{ digest, bytes: bytes.a.length },
        facts: { labels: 4, sentences: 60, scheme: 'none', scorer: 'linear', input: 'ndjson' },
      });
      for (const { version } of [first, second]) {
        const stored = await pullModel(registry, 'ner', version);
        expect(sha256(stored)).toBe(version.digest);
      }
      expect(await versionsOf(registry, 'ner')).toEqual([first.version, second.version]);
      expect(await modelNames(registry)).toEqual(['ner']);
    }));

  it('finds versions by number, id and alias, and says what there is', () =>
    using(async registry => {
      const { version } = await push(registry, 'found', 'a');
      await push(registry, 'found', 'b');
      const name = 'found';
      expect(await resolveAddress(registry, { name, number: 1 })).toEqual(version);
      expect(await resolveAddress(registry, { name, id: versionId(version.digest) })).toEqual(
        version,
      );
      expect(await resolveAddress(registry, { name })).toMatchObject({ number: 2 });
      await promote(registry, { name, alias: 'production', number: 1, by: 'me' });
      const standing = await resolveAddress(registry, { name, alias: 'production' });
      expect(standing).toMatchObject({ number: 1, digest: version.digest });
      await expect(resolveAddress(registry, { name, number: 7 })).rejects.toThrow(
        'there is no version found@7 (the newest is 2 (',
      );
      await expect(resolveAddress(registry, { name, alias: 'test' })).rejects.toThrow(
        'the model found has no alias test (it has production)',
      );
      await expect(resolveAddress(registry, { name: 'lost' })).rejects.toThrow(
        'the registry has no model lost',
      );
    }));

  it('gives each of several pushes at once a number of its own, and the same bytes one', () =>
    using(async registry => {
      const others = await Promise.all([1, 2, 3].map(() => opened(servers())));
      // In the same millisecond, so that nothing but who pushes distinguishes them.
      vi.useFakeTimers({ toFake: ['Date'] });
      const pushed = await Promise.all(
        [registry, ...others].map((each, i) => push(each, 'raced', i % 2 === 0 ? 'a' : 'b')),
      ).finally(() => vi.useRealTimers());
      const numbers = pushed.map(({ version }) => version.number);
      expect(numbers[0]).toBe(numbers[2]);
      expect(numbers[1]).toBe(numbers[3]);
      expect(new Set(numbers)).toEqual(new Set([1, 2]));
      expect(pushed.filter(({ isNew }) => isNew)).toHaveLength(2);
      expect(await versionsOf(registry, 'raced')).toHaveLength(2);
      for (const other of others) await other.close();
    }));

  it('rolls back step by step to what an alias stood for', () =>
    using(async registry => {
      await push(registry, 'back', 'a');
      await push(registry, 'back', 'b');
      const change = { name: 'back', alias: 'live', by: 'me' };
      await expect(rollback(registry, change)).rejects.toThrow('has no alias live');
      await promote(registry, { ...change, number: 1 });
      await expect(rollback(registry, change)).rejects.toThrow('has no earlier version');
      await promote(registry, { ...change, number: 2 });
      await promote(registry, { ...change, number: 1 });
      // What it stands for already is no change to roll back.
      await promote(registry, { ...change, number: 1 });
      const numbers: number[] = [];
      for (let i = 0; i < 2; i += 1) numbers.push((await rollback(registry, change)).number);
      expect(numbers).toEqual([2, 1]);
      await expect(rollback(registry, change)).rejects.toThrow('has no earlier version');
      await promote(registry, { ...change, number: 2 });
      expect((await rollback(registry, change)).number).toBe(1);
    }));

  it('lets one of two promotions at once win, and tells the other who that was', () =>
    using(async registry => {
      await push(registry, 'won', 'a');
      await push(registry, 'won', 'b');
      const other = await opened(servers());
      const alias = 'live';
      await promote(registry, { name: 'won', alias, number: 1, by: 'first' });
      for (let round = 0; round < 10; round += 1) {
        const before = await standingAlias(registry, 'won', alias);
        const number = before!.number === 1 ? 2 : 1;
        const both = await Promise.allSettled([
          promote(registry, { name: 'won', alias, number, by: 'anna@a', before }),
          promote(other, { name: 'won', alias, number, by: 'ben@b', before }),
        ]);
        const winners = both.filter(({ status }) => status === 'fulfilled');
        const [lost] = both.filter(result => result.status === 'rejected');
        expect(winners).toHaveLength(1);
        const now = (await standingAlias(registry, 'won', alias))!;
        expect((winners[0] as PromiseFulfilledResult<StandingAlias>).value).toEqual(now);
        expect(['anna@a', 'ben@b']).toContain(now.by);
        expect(lost!.reason).toMatchObject({ code: 'config' });
        expect(lost!.reason.message).toContain(
          `won@live was changed at the same time: ${now.by} set it to version ${number}`,
        );
      }
      expect(await aliasesOf(registry, 'won')).toHaveLength(1);
      await other.close();
    }));

  it('never gives out a file that is damaged, and takes it anew', () =>
    using(async registry => {
      const { version } = await push(registry, 'hurt', 'a');
      const { digest } = version;
      const damaged = Uint8Array.from(bytes.a);
      damaged[damaged.length - 20]! ^= 1;
      await registry.objects.putBlob({ name: digest }, damaged);
      await expect(pullModel(registry, 'hurt', version)).rejects.toMatchObject({
        code: 'model-damaged',
        message: expect.stringContaining('has no intact copy of version 1 ('),
      });
      expect((await push(registry, 'hurt', 'a')).isNew).toBe(false);
      expect(sha256(await pullModel(registry, 'hurt', version))).toBe(digest);
      // Parts that are gone, as after a disk was full.
      const info = await registry.objects.info(digest);
      await registry.connection.manager.streams.purge('OBJ_models', {
        filter: `$O.models.C.${info!.nuid}`,
      });
      await expect(pullModel(registry, 'hurt', version)).rejects.toThrow(
        'has no intact copy of version 1',
      );
      await registry.objects.delete(digest);
      await expect(pullModel(registry, 'hurt', version)).rejects.toThrow(
        'has no intact copy of version 1',
      );
      await push(registry, 'hurt', 'a');
      expect(sha256(await pullModel(registry, 'hurt', version))).toBe(digest);
    }));

  it('has no version of a file that is none', () =>
    using(async registry => {
      const half = bytes.a.subarray(0, bytes.a.length / 2);
      const pushing = pushModel(registry, {
        ...{ name: 'half', bytes: half, source: 'half.model', by: 'me' },
      });
      await expect(pushing).rejects.toMatchObject({ code: 'model-damaged' });
      expect(await versionsOf(registry, 'half')).toEqual([]);
    }));

  it('stores and watches on while its server dies and comes back', { tags: 'slow' }, () =>
    using(async registry => {
      const many = randomBytes(24 * 2 ** 20);
      const digest = sha256(many);
      await push(registry, 'kept', 'a');
      await push(registry, 'kept', 'b');
      const change = { name: 'kept', alias: 'live', by: 'me' };
      await promote(registry, { ...change, number: 1 });
      const stopping = new AbortController();
      const seen: number[] = [];
      const watching = (async () => {
        for await (const { number } of watchAlias(registry, 'kept', 'live', stopping.signal)) {
          seen.push(number);
          if (seen.length === 3) stopping.abort();
        }
      })();
      await until(() => seen.length === 1);
      await promote(registry, { ...change, number: 2 });
      await until(() => seen.length === 2);
      const storing = storeFile(registry, digest, many);
      await until(async () => (await chunksStored(registry)) > 20);
      await servers().kill();
      // A half of a file is nowhere to be had.
      await servers().restart();
      await storing;
      expect(sha256((await storedFile(registry, digest))!)).toBe(digest);
      await promote(registry, { ...change, number: 1 });
      await watching;
      expect(seen).toEqual([1, 2, 1]);
    }),
  );
});

describeNats('a registry on three servers', () => {
  const servers = natsServers({ servers: 3 });

  it('takes promotions in order while one server after the other dies', {
    tags: 'slow',
  }, async () => {
    const registry = await opened(servers(), { replicas: 3 });
    const stream = async (name: string) =>
      (await registry.connection.manager.streams.info(name)).config.num_replicas;
    expect([await stream('KV_models'), await stream('OBJ_models')]).toEqual([3, 3]);
    for (const model of ['a', 'b'] as const) await push(registry, 'ner', model);
    const change = { name: 'ner', alias: 'live', by: 'me' };
    const stopping = new AbortController();
    const seen: number[] = [];
    const watching = (async () => {
      for await (const { revision } of watchAlias(registry, 'ner', 'live', stopping.signal)) {
        seen.push(revision);
      }
    })();
    const written: number[] = [];
    for (let round = 0; round < (longForm ? 6 : 3); round += 1) {
      const victim = Math.floor(round / 3);
      if (round % 3 === 0) await servers().kill(victim);
      const { number, revision } = await promote(registry, { ...change, number: (round % 2) + 1 });
      expect(number).toBe((round % 2) + 1);
      written.push(revision);
      if (round % 3 === 2) {
        await servers().restart(victim);
        await servers().ready();
      }
    }
    expect(written).toEqual([...written].sort((a, b) => a - b));
    await until(() => seen.at(-1) === written.at(-1));
    stopping.abort();
    await watching;
    // Each that was seen was written, in this order.
    expect(written.filter(revision => seen.includes(revision))).toEqual(seen);
    const version = await resolveAddress(registry, { name: 'ner', alias: 'live' });
    expect(sha256(await pullModel(registry, 'ner', version))).toBe(version.digest);
    await registry.close();
  });
});

async function chunksStored({ connection }: ModelRegistry): Promise<number> {
  const { state } = await connection.manager.streams.info('OBJ_models');
  return state.messages;
}

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise(resolve => setTimeout(resolve, 10));
}
