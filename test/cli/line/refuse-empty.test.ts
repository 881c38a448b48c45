import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { refuseEmpty } from '../../../src/cli/command-line.js';
import { everyNth } from '../../house/long-forms.js';
import { tagstream } from '../commands/run-command.js';
import { thrownBy } from '../commands/thrown-by.js';
import { workspace } from '../commands/workspace.js';

const folder = workspace();

describe('an empty argument', () => {
  for (const { rows, tags } of everyNth(5, [
    [['tag', '--metrics', '0', '--metrics-host', ''], 'the argument after --metrics-host is empty'],
    [['tag', '--out', '', '--model', 'm'], 'the argument after --out is empty'],
    [['tag', '--checkpoint='], 'the value of --checkpoint is empty'],
    // yargs would read 0.
    [['tag', '--dead-letter-keep', ''], 'the argument after --dead-letter-keep is empty'],
    [['tag', '--checkpoint-seconds='], 'the value of --checkpoint-seconds is empty'],
    [['train', 'a.yaml', '--set', ''], 'the argument after --set is empty'],
    [['tag', 'a.ndjson', '', 'b.ndjson'], 'the argument after a.ndjson is empty'],
    [[''], 'the first argument is empty'],
  ])) {
    it.each(rows)('is refused in %j', { tags }, (given, problem) => {
      expect(thrownBy(() => refuseEmpty(given))).toMatchObject({ code: 'usage', problem });
    });
  }

  it('is not what has an empty part', () => {
    expect(refuseEmpty(['train', 'a.yaml', '--set', 'name=', '--set=name=', '-', '--'])).toBe(
      undefined,
    );
  });

  it('ends a command with exit code 2 before anything is opened', async () => {
    const model = join(folder, 'none.model');
    const given = ['tag', '--model', model, '--metrics', '0', '--metrics-host', ''];
    expect(await tagstream(given)).toEqual({
      code: 2,
      stdout: '',
      stderr:
        'tagstream: the argument after --metrics-host is empty ' +
        '(give a value or omit the option; an unset shell variable is empty)\n',
    });
  });
});
