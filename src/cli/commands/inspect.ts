import type { CommandModule } from 'yargs';
import { withModelFiles } from '../files/model-files.js';
import type { InspectArguments } from '../inspect/inspect-file.js';
import { kernelOption } from '../options/computing-options.js';
import { type NatsArguments, natsOptions } from '../options/nats-options.js';
import { flag, number, text } from '../options/option-kinds.js';
import { useOption } from '../options/use-option.js';

export const inspectCommand: CommandModule<object, InspectArguments & NatsArguments> = {
  command: 'inspect <model>',
  describe: 'show what a model has learned, or why it tags a sentence the way it does',
  builder: yargs =>
    yargs
      .positional('model', {
        type: 'string',
        demandOption: true,
        describe: 'model file, or nats://NAME@ALIAS, a model of a registry',
      })
      .options({
        top: number(
          'number of features to show per label or token, and of transitions, plain and observed',
          { default: 10 },
        ),
        label: text('features of this label only'),
        feature: text('features whose name matches this regular expression', { alias: 'grep' }),
        data: text('a file to take feature names from, if the model has none'),
        explain: text(
          'explain the tag of each token of a text, of the records of a file, or of - (stdin)',
          { conflicts: ['label', 'feature', 'data'] },
        ),
        rules: text('explain with the rules of this file, as tag --rules applies them', {
          implies: 'explain',
        }),
        sparsity: text('write a picture (SVG) of the non-zero weights to this file', {
          conflicts: ['label', 'feature', 'data', 'explain', 'json'],
        }),
        columns: text('additional columns of the text, as JSON: {"pos": ["NNP", "VBD"]}', {
          implies: 'explain',
        }),
        format: text(
          'format of the file: ndjson, conll, conllu or letters, or conll:{columns: [form, tag]}; default: by extension, then that of the model',
        ),
        json: flag('print JSON: one object, or one per sentence'),
      })
      .options(useOption)
      .options(natsOptions)
      .options(kernelOption) as never,
  handler: async given => {
    const { inspectFile } = await import('../inspect/inspect-file.js');
    await inspectFile(await withModelFiles(given, ['model']));
  },
};
