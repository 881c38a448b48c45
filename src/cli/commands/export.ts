import type { CommandModule } from 'yargs';
import type { ExportArguments } from '../export/export-model.js';
import { withModelFiles } from '../files/model-files.js';
import { type NatsArguments, natsOptions } from '../options/nats-options.js';
import { text } from '../options/option-kinds.js';

export const exportCommand: CommandModule<object, ExportArguments & NatsArguments> = {
  command: 'export <model>',
  describe: 'put a model and the tagger into one page or one module',
  builder: yargs =>
    yargs
      .positional('model', {
        type: 'string',
        demandOption: true,
        describe: 'model file, or nats://NAME@ALIAS, a model of a registry',
      })
      .options({
        html: text('write a page that tags what you type, offline'),
        sample: text('text that the page shows first', { implies: 'html' }),
        js: text('write a module that exports `tagger`, and its types to FILE.d.ts'),
      })
      .options(natsOptions) as never,
  handler: async given => {
    const { exportModel } = await import('../export/export-model.js');
    await exportModel(await withModelFiles(given, ['model']));
  },
};
