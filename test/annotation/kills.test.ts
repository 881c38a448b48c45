import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { ShownRecord } from '../../src/annotation/task/shown-record.js';
import { workspace } from '../cli/commands/workspace.js';
import { canMount, onSmallDisk } from '../faults/files/small-disk.js';
import { attackCount, reportCounts } from '../faults/long-form.js';
import { printSeed, randomOf } from '../faults/seed.js';
import { goldTags, sampleQueue } from './sample-session.js';
import { type ServedCommand, serveCommand } from './served-command.js';

printSeed('killed annotation');
const folder = workspace();
const kills = attackCount(6, 200);
const words = (queue: string) => [
  'annotate',
  queue,
  '--labels',
  'PER,ORG,LOC',
  '--out',
  'out.ndjson',
  '--no-retrain',
];

async function ask<Answer>(server: ServedCommand, path: string, body: object): Promise<Answer> {
  const response = await fetch(`${server.url}api/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
  return (await response.json()) as Answer;
}

type Next = { readonly next: ShownRecord | null };

describe('answers', () => {
  it(`are neither lost nor doubled in ${kills} kills`, { tags: 'slow' }, async () => {
    const random = randomOf(77);
    const queue = sampleQueue(folder, 40 * kills, 'many.ndjson');
    const confirmed = new Map<number, string>();
    let repeated = 0;
    let undone = 0;
    let pending:
      | {
          readonly path: string;
          readonly body: object;
          readonly record: number;
          readonly tags: string;
        }
      | undefined;
    const last: number[] = [];
    for (let kill = 0; kill < kills; kill += 1) {
      const server = await serveCommand(words(queue), folder);
      let until: Promise<void> | undefined;
      let left = random.below(12);
      const step = () => {
        if (left === 0) until = setTimeout(random.below(40)).then(() => server.end('SIGKILL'));
        left -= 1;
      };
      step();
      try {
        if (pending !== undefined) {
          // What was sent and not confirmed is sent again, as the page does.
          repeated += 1;
          await ask(server, pending.path, pending.body);
          confirmed.set(pending.record, pending.tags);
          last.push(pending.record);
          pending = undefined;
        }
        let { next } = await ask<Next>(server, 'start', {});
        for (;;) {
          const { record, tokens } = next!;
          const tags = goldTags(tokens);
          const body = {
            record,
            answer: 'accept',
            tags,
            corrections: 0,
            key: `k${kill}-${record}`,
          };
          pending = { path: 'answer', body, record, tags: tags.join() };
          ({ next } = await ask<Next>(server, 'answer', body));
          confirmed.set(record, tags.join());
          last.push(record);
          pending = undefined;
          step();
          if (last.length === 0 || random.below(8) > 0) continue;
          // Whether an undo that is cut off has happened is seen afterwards.
          undone += 1;
          const undoing = last.pop()!;
          confirmed.set(undoing, 'perhaps');
          ({ next } = await ask<Next>(server, 'undo', {}));
          confirmed.delete(undoing);
        }
      } catch (error) {
        expect(String(error)).toMatch(/fetch failed|terminated/);
      }
      await until;
      const answers = linesOf('out.ndjson');
      const kept = new Map(answers.map(({ record, tags }) => [record, tags]));
      expect(kept.size).toBe(answers.length);
      for (const [record, tags] of confirmed) {
        if (tags === 'perhaps') {
          if (kept.has(record)) {
            confirmed.set(record, kept.get(record)!);
            last.push(record);
          } else confirmed.delete(record);
        } else expect(kept.get(record)).toBe(tags);
      }
      const more = [...kept.keys()].filter(record => !confirmed.has(record));
      expect(more.every(record => record === pending?.record)).toBe(true);
    }
    reportCounts('killed annotation', { kills, answers: confirmed.size, repeated, undone });
    expect(confirmed.size).toBeGreaterThan(0);
  });

  it.skipIf(!canMount)(
    'that the disk has no room for are refused, and kept when they come again',
    async () => {
      sampleQueue(folder, 30, 'few.ndjson');
      writeFileSync(join(folder, 'client.mjs'), client);
      const script = `cd "$FOLDER"; "$NODE" client.mjs`;
      const { stdout, stderr } = await onSmallDisk(folder, '256k', script);
      expect(stderr).toBe('');
      const { before, full, message, after, lines } = JSON.parse(stdout);
      expect([before, full, after]).toEqual([200, 500, 200]);
      expect(message).toMatch(/no space is left on the device/);
      expect(lines).toBe(2);
    },
  );
});

/** The lines that are whole: the next start cuts off what is not. */
function linesOf(name: string): { readonly record: number; readonly tags: string }[] {
  const text = readFileSync(join(folder, name), 'utf8');
  return text
    .slice(0, text.lastIndexOf('\n') + 1)
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line))
    .map(({ tags, _annotation }) => ({ record: _annotation.record, tags: tags.join() }));
}

/** Answers, fills the disk, answers again, frees it, and sends the refused answer once more. */
const client = `import { spawn } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
const { COMMAND, DISK } = process.env;
const out = DISK + '/out.ndjson';
const words = ['annotate', 'few.ndjson', '--labels', 'PER,ORG,LOC', '--out', out, '--save', 'disk.model', '--port', '0'];
const server = spawn(process.execPath, [COMMAND, ...words]);
let log = '';
const url = await new Promise(found => server.stderr.on('data', part => {
  log += part;
  const match = /open (\\S+)/.exec(log);
  if (match) found(match[1]);
}));
const ask = (path, body) => fetch(url + 'api/' + path, {
  method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
const answer = record => ask('answer', { record, answer: 'reject', corrections: 0, note: 'x'.repeat(9000), key: 'k' + record });
const before = await answer(0);
for (let i = 0; ; i += 1) {
  try {
    writeFileSync(DISK + '/fill', 'x'.repeat(4096), { flag: 'a' });
  } catch {
    break;
  }
}
const full = await answer(1);
const { error: message } = await full.json();
rmSync(DISK + '/fill');
const after = await answer(1);
const lines = readFileSync(out, 'utf8').trim().split('\\n').length;
server.kill('SIGKILL');
console.log(JSON.stringify({ before: before.status, full: full.status, message, after: after.status, lines }));
`;
