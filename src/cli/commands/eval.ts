import type { CommandModule } from 'yargs';
import { type EvalArguments, evalOptions } from '../eval/eval-arguments.js';
import { withModelFiles } from '../files/model-files.js';
import { namedModels } from '../files/named-models.js';
import { kernelOption } from '../options/computing-options.js';
import { constraintOptions } from '../options/decoding-options.js';
import { type NatsArguments, natsOptions } from '../options/nats-options.js';

/** Command arguments, with all models and their columns. */
type CommandArguments = Omit<EvalArguments, 'model' | 'column' | 'further'> &
  NatsArguments & { readonly model?: readonly string[]; readonly column?: readonly string[] };

export const evalCommand: CommandModule<object, CommandArguments> = {
  command: 'eval <gold>',
  describe: 'score a model on labelled data',
  builder: yargs =>
    yargs
      .positional('gold', {
        type: 'string',
        demandOption: true,
        describe: 'labelled file, or a pipeline file: its held-out data',
      })
      .options(evalOptions)
      .options(constraintOptions)
      .options(natsOptions)
      .options(kernelOption) as never,
  handler: async given => {
    const { evalFile } = await import('../eval/eval-file.js');
    const { model = [] } = given;
    const models = { ...given, ...(await namedModels(model, given)) };
    await evalFile(await withModelFiles(models, ['model', 'against']));
  },
};
