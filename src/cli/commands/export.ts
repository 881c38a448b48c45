import type { CommandModule } from 'yargs';
import type { ExportArguments } from '../export/export-model.js';
import { withModelFiles } from '../files/model-files.js';
import { columnOption, namedModels } from '../files/named-models.js';
import { type NatsArguments, natsOptions } from '../options/nats-options.js';
import { text } from '../options/option-kinds.js';

export const exportCommand: CommandModule<object, CommandArguments> = {
  command: 'export <models..>',
  describe:
    'put models and the tagger into one page or one module, or several models into one file',
  builder: yargs =>
    yargs
      .positional('models', {
        type: 'string',
        array: true,
        demandOption: true,
        describe:
          'model files, or nats://NAME@ALIAS, models of a registry; of several, each tags after those before it, into its own column',
      })
      .options({
        column: columnOption,
        tokenizer: text(
          'model file with a learned tokenizer [default: the tokenizer of the first model]',
        ),
        out: text(
          'write one model file with all models and their tokenizer, for commands that take one: serve, models push',
        ),
        html: text('write a page that tags what you type, offline'),
        sample: text('text that the page shows first', { implies: 'html' }),
        js: text('write a module that exports `tagger`, and its types to FILE.d.ts'),
      })
      .options(natsOptions) as never,
  handler: async ({ models, ...given }) => {
    const { exportModel } = await import('../export/export-model.js');
    const { model, ...others } = await namedModels(models, given);
    const { model: file } = await withModelFiles({ ...given, model }, ['model']);
    await exportModel({ ...given, ...others, model: file });
  },
};

/** Command arguments, with the columns of all models. */
type CommandArguments = NatsArguments &
  Omit<ExportArguments, 'model' | 'column' | 'further'> & {
    readonly models: readonly string[];
    readonly column?: readonly string[];
  };
