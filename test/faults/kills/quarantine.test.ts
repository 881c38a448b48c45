import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { root } from '../../cli/commands/run-command.js';
import { toyRecords, workspace } from '../../cli/commands/workspace.js';

const folder = workspace();
const require = createRequire(import.meta.url);
const dist = (file: string) => JSON.stringify(pathToFileURL(join(root, 'dist', file)).href);

/** Tags with one tag for all, and dies at two of the records, as a fault in native code would. */
const program = `
  import rxjs from ${JSON.stringify(pathToFileURL(require.resolve('rxjs')).href)};
  import { DeadLetters } from ${dist('runtime/io/dead-letters/dead-letters.js')};
  import { writeDocuments } from ${dist('runtime/io/document-sink.js')};
  import { documentSource } from ${dist('runtime/io/sources/document-source.js')};
  import { ndjsonCodec } from ${dist('formats/codecs/ndjson/ndjson-codec.js')};
  import { openProgress } from ${dist('runtime/pipeline/tagging/progress/open-progress.js')};
  const [file] = process.argv.slice(2);
  const deadLetters = new DeadLetters({ policy: 'dead-letter', file: 'bad' });
  const progress = await openProgress({
    ...{ directory: 'progress', records: 20, inputs: [file], file: 'out', resume: true, deadLetters },
    ...{ config: () => ({}), isStopped: () => false },
  });
  const codec = ndjsonCodec();
  const documents = documentSource({ files: [file], codec, deadLetters, ...progress.reading });
  const tagged = documents.pipe(rxjs.map(document => {
    if (document.id === '1234' || document.id === '1300') process.kill(process.pid, 'SIGKILL');
    return { document, tokens: document.tokens, tags: document.tokens.map(() => 'X') };
  }));
  await writeDocuments(tagged, progress.output, codec, { output: 'tags' }, progress.hooks);
`;

it('a record that kills the process is found out and put aside, and all others are tagged', {
  tags: 'slow',
}, () => {
  writeFileSync(join(folder, 'in'), `${toyRecords(3000, false).join('\n')}\n`);
  const script = join(folder, 'program.mjs');
  writeFileSync(script, program);
  let deaths = 0;
  for (;;) {
    const { signal, status, stderr } = spawnSync(process.execPath, [script, 'in'], { cwd: folder });
    if (signal === 'SIGKILL') deaths += 1;
    else {
      expect([status, stderr.toString()]).toEqual([0, '']);
      break;
    }
    expect(deaths).toBeLessThan(40);
  }
  const ids = readFileSync(join(folder, 'out'), 'utf8')
    .trimEnd()
    .split('\n')
    .map(line => Number((JSON.parse(line) as { id: string }).id));
  const all = Array.from({ length: 3000 }, (_, id) => id);
  expect(ids).toEqual(all.filter(id => id !== 1234 && id !== 1300));
  const letters = readFileSync(join(folder, 'bad'), 'utf8')
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line) as { code: string; raw: string });
  expect(letters.map(({ code, raw }) => [code, (JSON.parse(raw) as { id: string }).id])).toEqual([
    ['quarantined', '1234'],
    ['quarantined', '1300'],
  ]);
  expect(existsSync(join(folder, 'progress/in-flight.json'))).toBe(false);
  console.log(`quarantine: two records found out after ${deaths} deaths`);
});
