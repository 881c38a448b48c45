import type { CommandModule } from 'yargs';
import { text } from '../options/option-kinds.js';
import { printText } from '../report/terminal.js';

interface PresetsArguments {
  readonly name?: string | undefined;
  readonly columns: string;
}

export const presetsCommand: CommandModule<object, PresetsArguments> = {
  command: 'presets [name]',
  describe: 'list the template presets, or print the templates of one',
  builder: yargs =>
    yargs.positional('name', { type: 'string', describe: 'the preset to print' }).option(
      'columns',
      text('columns of the records; parts of speech are used if present', {
        default: 'form,pos',
      }),
    ),
  handler: async ({ name, columns }) => {
    if (name === undefined) {
      const { presets } = await import('../../engine/features/presets/presets.js');
      const lines = presets.map(preset => `${preset.name.padEnd(11)} ${preset.summary}\n`);
      printText(lines.join(''));
      return;
    }
    const { presetTemplates } = await import('../../engine/features/presets/preset-templates.js');
    printText(
      presetTemplates(
        name,
        columns.split(',').map(column => column.trim()),
      ),
    );
  },
};
