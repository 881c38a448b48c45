import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { LiveCommand } from '../../cli/commands/live-command.js';
import { tagstream } from '../../cli/commands/run-command.js';
import { trainHere } from '../../cli/commands/train-here.js';
import { toyPipeline, toyRecords, workspace } from '../../cli/commands/workspace.js';
import { everyNth } from '../../house/long-forms.js';

const folder = workspace();
const tag = ['tag', '--model', join(folder, 'toy.model')];
// Every second record has no id; some of those are equal.
const records = toyRecords(1200, false).map((line, i) =>
  i % 2 === 0 ? line.replace(/"id":"\d+",/, '') : line,
);
const feed = `${records.join('\n')}\n`;

beforeAll(async () => {
  await trainHere(toyPipeline(folder));
});

const linesOf = (text: string) => text.slice(0, text.lastIndexOf('\n')).split('\n');
const idOf = (line: string) => (JSON.parse(line) as { id: string }).id;

/** What a consumer keeps that takes each id once. */
function once(lines: readonly string[]): string[] {
  const byId = new Map<string, string>();
  for (const line of lines) if (!byId.has(idOf(line))) byId.set(idOf(line), line);
  return [...byId.values()];
}

describe('tagstream tag --ids', () => {
  it('lets a consumer drop what comes twice when a killed run is fed again', async () => {
    const given = [...tag, '--ids', 'position'];
    const whole = linesOf((await tagstream(given, { stdin: feed })).stdout);
    expect(whole).toHaveLength(records.length);
    expect(once(whole)).toEqual(whole);

    const killed = new LiveCommand(given);
    killed.child.stdin.write(`${records.slice(0, 700).join('\n')}\n`);
    await killed.until(() => linesOf(killed.stdout).length >= 300);
    killed.child.kill('SIGKILL');
    await killed.ended();
    const again = await tagstream(given, { stdin: feed });
    const received = [...linesOf(killed.stdout), ...linesOf(again.stdout)];
    expect(received.length).toBeGreaterThanOrEqual(records.length + 300);
    expect(once(received)).toEqual(whole);
  });

  for (const { rows, tags } of everyNth(2, ['content', 'position'])) {
    it.each(rows)('gives the same by %s with several workers', { tags }, async from => {
      const given = [...tag, '--ids', from];
      const alone = await tagstream(given, { stdin: feed });
      expect(await tagstream([...given, '--workers', '2'], { stdin: feed })).toEqual(alone);
      const distinct = new Set(linesOf(alone.stdout).map(idOf)).size;
      // Equal records have equal ids by their content alone.
      const equal = records.length - new Set(records).size;
      expect(equal).toBeGreaterThan(0);
      expect(distinct).toBe(from === 'content' ? records.length - equal : records.length);
    });
  }

  it('is refused for a format whose records have no place for one', { tags: 'slow' }, async () => {
    const given = [...tag, '--ids', 'content', '--format', 'conll:{columns: [form, tag]}'];
    const { code, stderr } = await tagstream(given, { stdin: 'a\n\n' });
    expect(code).not.toBe(0);
    expect(stderr).toContain('records in the format conll cannot be given ids');
    expect(stderr).toContain('leave --ids out');
  });
});
