import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root, tagstreamProcess } from '../commands/run-command.js';
import { workspace } from '../commands/workspace.js';

const folder = workspace();
const record = '{"tokens":["a"],"tags":["X"]}\n';
const rows = 'a _ X\n\n';
writeFileSync(join(folder, 'a.ndjson'), record);
writeFileSync(join(folder, 'bad.ndjson'), 'bad\n');
const convert = ['convert', '--from', 'ndjson', '--to', 'conll'];

describe.runIf(process.platform === 'linux')('in a shell', () => {
  const command = 'c() { node "$MAIN" convert --from ndjson --to conll "$@"; }; ';
  const shell = (script: string) =>
    execFileSync('bash', ['-c', command + script], {
      ...{ cwd: folder, encoding: 'utf8' as const },
      env: { ...process.env, MAIN: join(root, 'dist/cli/main.js') },
    });

  it('outputs go into pipes by name', () => {
    expect(shell('c --out /dev/stdout a.ndjson | cat')).toBe(rows);
    expect(shell('c --out >(cat) a.ndjson | cat')).toBe(rows);
    expect(shell('c --out /dev/stderr a.ndjson 2>&1 > /dev/null | cat')).toBe(rows);
    expect(shell('c --out /proc/self/fd/3 a.ndjson 3>&1 > /dev/null | cat')).toBe(rows);
  });

  it('what goes into a file that the shell has opened is added to it', { tags: 'slow' }, () => {
    expect(shell('{ echo first; c --out /dev/stdout a.ndjson; echo last; } > f; cat f')).toBe(
      `first\n${rows}last\n`,
    );
  });

  it('dead letters and pages go into pipes by name', { tags: 'slow' }, () => {
    expect(
      shell('c --on-bad dead-letter --dead-letter >(cut -c1-21) bad.ndjson 2> /dev/null | cat'),
    ).toBe('{"source":"bad.ndjson\n');
    expect(shell('node "$MAIN" schema --write /dev/stdout | head -c 1')).toBe('{');
    expect(shell('node "$MAIN" schema --write >(head -c 1; cat > /dev/null) | cat')).toBe('{');
  });

  it('inputs come from pipes by name', () => {
    expect(shell('c <(cat a.ndjson)')).toBe(rows);
    expect(shell('cat a.ndjson | c /dev/stdin')).toBe(rows);
  });
});

describe.runIf(process.platform === 'linux')('between programs that talk through sockets', () => {
  it('standard streams have their names', { tags: 'slow' }, async () => {
    const given = { cwd: folder, stdin: record };
    expect(
      await tagstreamProcess([...convert, '--out', '/dev/stdout', '/dev/stdin'], given),
    ).toEqual({
      ...{ code: 0, stdout: rows, stderr: '' },
    });
    const letters = ['--on-bad', 'dead-letter', '--dead-letter', '/dev/stderr', 'bad.ndjson'];
    const { stderr } = await tagstreamProcess(
      [...convert, '--out', '/dev/stderr', ...letters],
      given,
    );
    expect(stderr).toContain('{"source":"bad.ndjson","line":1');
    const { stdout, code } = await tagstreamProcess(['schema', '--write', '/dev/stdout']);
    expect([code, JSON.parse(stdout).type]).toEqual([0, 'object']);
  });
});
