import type { CommandModule } from 'yargs';
import { withModelFiles } from '../files/model-files.js';
import type { InspectArguments } from '../inspect/inspect-file.js';
import { kernelOption } from '../options/computing-options.js';
import { type NatsArguments, natsOptions } from '../options/nats-options.js';
import { useOption } from '../options/use-option.js';

export const inspectCommand: CommandModule<object, InspectArguments & NatsArguments> = {
  command: 'inspect <model>',
  describe: 'show what a model has learned, or why it tags a sentence as it does',
  builder: yargs =>
    yargs
      .positional('model', {
        type: 'string',
        demandOption: true,
        describe: 'model file, or nats://NAME@ALIAS, a model of a registry',
      })
      .option('top', {
        type: 'number',
        default: 10,
        requiresArg: true,
        describe: 'features to show for each label or token, and transitions',
      })
      .option('label', {
        type: 'string',
        requiresArg: true,
        describe: 'features of this label only',
      })
      .option('feature', {
        alias: 'grep',
        type: 'string',
        requiresArg: true,
        describe: 'features whose name matches this regular expression',
      })
      .option('data', {
        type: 'string',
        requiresArg: true,
        describe: 'a file to take feature names from, if the model has none',
      })
      .option('explain', {
        type: 'string',
        requiresArg: true,
        conflicts: ['label', 'feature', 'data'],
        describe:
          'explain the tag of each token of a text, of the records of a file, or of - (stdin)',
      })
      .option('rules', {
        type: 'string',
        requiresArg: true,
        implies: 'explain',
        describe: 'explain with the rules of this file, as tag --rules applies them',
      })
      .option('sparsity', {
        type: 'string',
        requiresArg: true,
        conflicts: ['label', 'feature', 'data', 'explain', 'json'],
        describe: 'write a picture (SVG) of the non-zero weights to this file',
      })
      .option('columns', {
        type: 'string',
        requiresArg: true,
        implies: 'explain',
        describe: 'additional columns of the text, as JSON: {"pos": ["NNP", "VBD"]}',
      })
      .option('format', {
        type: 'string',
        requiresArg: true,
        describe:
          'format of the file: ndjson, conll, conllu or letters, or conll:{columns: [form, tag]}; default: by extension, then that of the model',
      })
      .option('json', { type: 'boolean', describe: 'print JSON: one object, or one per sentence' })
      .options(useOption)
      .options(natsOptions)
      .options(kernelOption) as never,
  handler: async given => {
    const { inspectFile } = await import('../inspect/inspect-file.js');
    await inspectFile(await withModelFiles(given, ['model']));
  },
};
