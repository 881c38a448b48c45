import type { CommandModule } from 'yargs';
import { port, wholeNumber } from '../options/numbers.js';
import { logOptions, shutdownOption } from '../options/operation-options.js';
import { reporting } from '../report/reporting.js';
import type { AnnotateArguments } from '../run/annotate/annotate-file.js';

export const annotateCommand: CommandModule<object, AnnotateArguments> = {
  command: 'annotate [records]',
  describe: 'label records by hand in a browser, with a model that learns from each answer',
  builder: yargs =>
    yargs
      .positional('records', {
        type: 'string',
        describe: 'NDJSON, plain text with a record a line, or any other format of `convert`',
      })
      .option('out', {
        type: 'string',
        requiresArg: true,
        describe: 'NDJSON file of the answers, which `train` reads; one that is there is continued',
      })
      .option('labels', {
        type: 'string',
        requiresArg: true,
        describe: 'kinds of spans: PER,ORG,LOC',
      })
      .option('tags', {
        type: 'string',
        requiresArg: true,
        describe: 'labels of which each token gets one: NOUN,VERB',
      })
      .option('model', {
        type: 'string',
        requiresArg: true,
        describe: 'model file to start from; its labels are the default',
      })
      .option('preset', {
        choices: ['ner', 'chunk', 'pos'] as const,
        requiresArg: true,
        describe: 'features without a model to start from [default: ner for spans, pos for tags]',
      })
      .option('gazetteer', {
        type: 'string',
        array: true,
        nargs: 1,
        describe: 'LABEL=FILE, names with one on each line: proposals at first, then features',
      })
      .option('pattern', {
        type: 'string',
        array: true,
        nargs: 1,
        describe: 'LABEL=EXPRESSION, a regular expression: proposals at first',
      })
      .option('strategy', {
        choices: [
          ...['sequential', 'random', 'least-confidence', 'margin', 'entropy'],
          ...['diversity', 'spans'],
        ],
        default: 'diversity',
        requiresArg: true,
        describe: 'which record is asked next',
      })
      .option('seed', {
        type: 'string',
        requiresArg: true,
        coerce: wholeNumber('seed', 0),
        describe: 'seed of all random choices [default: 1]',
      })
      .option('annotators', {
        type: 'string',
        requiresArg: true,
        describe: 'how many people label, or their names: anna,ben',
      })
      .option('overlap', {
        type: 'number',
        requiresArg: true,
        implies: 'annotators',
        describe: 'share of the records that all of them get, from 0 to 1 [default: 0.2]',
      })
      .option('guidelines', {
        type: 'string',
        requiresArg: true,
        describe: 'Markdown file that is shown beside the text',
      })
      .option('save', {
        type: 'string',
        requiresArg: true,
        describe: 'where the model goes at the end, and on demand [default: that of --out, .model]',
      })
      .option('retrain', {
        type: 'boolean',
        describe: 'train from scratch in the background [default: unless --model is given]',
      })
      .option('port', {
        type: 'string',
        requiresArg: true,
        coerce: port('port'),
        describe: '0: any that is free [default: 8765]',
      })
      .option('host', {
        type: 'string',
        requiresArg: true,
        describe:
          'address to listen on; others than this machine need --token [default: 127.0.0.1]',
      })
      .option('token', {
        type: 'string',
        requiresArg: true,
        describe: 'secret of 8 characters or more that the address of the page carries',
      })
      .option('origin', {
        type: 'string',
        requiresArg: true,
        describe:
          'address of the page behind a proxy, as https://label.example.com or https://example.com/label',
      })
      .option('simulate', {
        type: 'string',
        requiresArg: true,
        conflicts: ['records', 'out'],
        describe: 'replay this labelled file as the person, and compare strategies',
      })
      .option('strategies', {
        type: 'string',
        requiresArg: true,
        describe:
          'for --simulate; the first is what the others are compared with [default: random,diversity,spans]',
      })
      .option('seeds', {
        type: 'string',
        requiresArg: true,
        coerce: wholeNumber('seeds', 1),
        describe: 'runs of each strategy [default: 3]',
      })
      .option('tokens', {
        type: 'string',
        requiresArg: true,
        coerce: wholeNumber('tokens', 1),
        describe: 'tokens that are looked at in --simulate [default: 22000]',
      })
      .option('reach', {
        type: 'boolean',
        implies: 'simulate',
        describe:
          'end the runs of a strategy in --simulate soon after they score what the first strategy has at its end',
      })
      .option('test', {
        type: 'string',
        requiresArg: true,
        implies: 'simulate',
        describe: 'labelled file to score on [default: a fifth of that of --simulate]',
      })
      .option('format', {
        type: 'string',
        requiresArg: true,
        describe:
          'of the records, or of the labelled files of --simulate [default: by extension, then by content]',
      })
      .option('html', {
        type: 'string',
        requiresArg: true,
        implies: 'simulate',
        describe: 'write the curves of --simulate as a page to this file',
      })
      .option('svg', {
        type: 'string',
        requiresArg: true,
        implies: 'simulate',
        describe: 'write the curves by tokens looked at as a picture to this file',
      })
      .options(shutdownOption)
      .options(logOptions) as never,
  handler: given =>
    reporting(given as never, async report => {
      if (given.simulate !== undefined) {
        const { simulateFile } = await import('../run/annotate/simulate-file.js');
        await simulateFile({ ...given, simulate: given.simulate }, report);
        return;
      }
      const { annotateFile } = await import('../run/annotate/annotate-file.js');
      await annotateFile(given, report);
    }),
};
