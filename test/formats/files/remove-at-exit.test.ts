import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from '../../cli/commands/run-command.js';
import { workspace } from '../../cli/commands/workspace.js';

const folder = workspace();

describe('a command that writes a file and minds no signals', () => {
  it.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
    'ends by %s, and leaves no temporary file and the older one whole',
    async signal => {
      writeFileSync(join(folder, 'out.conll'), 'older\n');
      const given = ['convert', '--from', 'ndjson', '--to', 'conll', '--out', 'out.conll'];
      const command = [join(root, 'dist/cli/main.js'), ...given];
      const child = spawn(process.execPath, command, { cwd: folder, stdio: 'pipe' });
      while (readdirSync(folder).length === 1) await new Promise(wake => setTimeout(wake, 2));
      child.kill(signal);
      expect(await once(child, 'close')).toEqual([null, signal]);
      expect(readdirSync(folder)).toEqual(['out.conll']);
    },
  );
});
