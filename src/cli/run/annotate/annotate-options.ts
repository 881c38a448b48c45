import type { LogArguments, ShutdownArguments } from '../../options/operation-options.js';
import {
  type ArgumentsOf,
  flag,
  number,
  port,
  text,
  texts,
  wholeNumber,
} from '../../options/option-kinds.js';

export const annotateOptions = {
  out: text('NDJSON file of the answers, which `train` reads; one that is there is continued'),
  labels: text('kinds of spans: PER,ORG,LOC'),
  tags: text('labels of which each token gets one: NOUN,VERB'),
  model: text('model file to start from; its labels are the default'),
  preset: {
    choices: ['ner', 'chunk', 'pos'] as const,
    requiresArg: true,
    describe: 'features without a model to start from [default: ner for spans, pos for tags]',
  },
  gazetteer: texts('LABEL=FILE, names with one on each line: proposals at first, then features'),
  pattern: texts('LABEL=EXPRESSION, a regular expression: proposals at first'),
  strategy: {
    choices: [
      ...['sequential', 'random', 'least-confidence', 'margin', 'entropy'],
      ...['diversity', 'spans'],
    ],
    default: 'diversity',
    requiresArg: true,
    describe: 'which record is asked next',
  },
  seed: text('seed of all random choices [default: 1]', { coerce: wholeNumber('seed', 0) }),
  annotators: text('how many people label, or their names: anna,ben'),
  overlap: number('share of the records that all of them get, from 0 to 1 [default: 0.2]', {
    implies: 'annotators',
  }),
  guidelines: text('Markdown file that is shown beside the text'),
  save: text('where the model goes at the end, and on demand [default: that of --out, .model]'),
  retrain: flag('train from scratch in the background [default: unless --model is given]'),
  port: text('0: any that is free [default: 8765]', { coerce: port('port') }),
  host: text('address to listen on; others than this machine need --token [default: 127.0.0.1]'),
  token: text('secret of 8 characters or more that the address of the page carries'),
  origin: text(
    'address of the page behind a proxy, as https://label.example.com or https://example.com/label',
  ),
  simulate: text('replay this labelled file as the person, and compare strategies', {
    conflicts: ['records', 'out'],
  }),
  strategies: text(
    'for --simulate; the first is what the others are compared with [default: random,diversity,spans]',
  ),
  seeds: text('runs of each strategy [default: 3]', { coerce: wholeNumber('seeds', 1) }),
  tokens: text('tokens that are looked at in --simulate [default: 22000]', {
    coerce: wholeNumber('tokens', 1),
  }),
  reach: flag(
    'end the runs of a strategy in --simulate soon after they score what the first strategy has at its end',
    { implies: 'simulate' },
  ),
  test: text('labelled file to score on [default: a fifth of that of --simulate]', {
    implies: 'simulate',
  }),
  format: text(
    'of the records, or of the labelled files of --simulate [default: by extension, then by content]',
  ),
  html: text('write the curves of --simulate as a page to this file', {
    implies: 'simulate',
  }),
  svg: text('write the curves by tokens looked at as a picture to this file', {
    implies: 'simulate',
  }),
} as const;

/** Arguments of `annotate`. */
export interface AnnotateArguments
  extends Omit<ArgumentsOf<typeof annotateOptions>, 'strategy'>,
    LogArguments,
    ShutdownArguments {
  readonly records?: string | undefined;
  readonly strategy: string;
}
