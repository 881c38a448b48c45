import type { CommandModule } from 'yargs';
import type { TaggingPool } from '../../runtime/pipeline/tagging/tagging-run.js';
import { columnOption, namedModels } from '../files/named-models.js';
import { kernelOption, workersOption } from '../options/computing-options.js';
import {
  constraintOptions,
  decodingOptions,
  marginalsOption,
} from '../options/decoding-options.js';
import { fieldOptions } from '../options/field-options.js';
import { natsOptions } from '../options/nats-options.js';
import { logOptions, metricsOptions, shutdownOption } from '../options/operation-options.js';
import { flag, inputsArgument, number, text, texts } from '../options/option-kinds.js';
import { badRecordOptions, limitOption, tokenizerOption } from '../options/record-options.js';
import { pluginsOf, type UseArguments, useOption } from '../options/use-option.js';
import { type Reporting, reporting } from '../report/reporting.js';
import { refuseShown, requireRotation, type TagArguments } from '../tag/refuse-shown.js';

export const tagCommand: CommandModule<object, CommandArguments> = {
  command: 'tag [inputs..]',
  describe: 'tag records with a model',
  builder: yargs =>
    yargs
      .positional('inputs', inputsArgument)
      .options({
        model: {
          ...texts(
            'model file, or nats://NAME@ALIAS, a model of a registry, which is replaced when you promote another version; may be repeated: further models tag after it, each into its own column',
          ),
          demandOption: true,
        },
        column: columnOption,
        tokenizer: tokenizerOption('that of the model'),
        watch: flag(
          'switch to the new model when its file is replaced (SIGHUP reloads at any time)',
        ),
        format: text(
          'ndjson, text, conll, conllu, letters, slash, crfsuite, webanno, spans, doccano, spacy, prodigy or label-studio, with options: conll:{columns: [form, tag]}; default: by extension or content, then that of the model; anything else is plain text',
        ),
      })
      .option('to', {
        type: 'string',
        requiresArg: true,
        describe:
          'output format, such as conllu (with sentence ids, multiword tokens and spacing for raw text); default: the input with the results added',
      })
      .options(fieldOptions)
      .options({
        ids: {
          choices: ['content', 'position'] as const,
          describe:
            'add stable ids to NDJSON records without one: content: derived from their bytes; position: also from their input and place',
        },
        output: {
          choices: ['record', 'tags'] as const,
          default: 'record' as const,
          describe: 'record: the record with all results; tags: the id and the tags',
        },
        redact: text(
          'write the input without results, with each span of its text replaced by this: {label} is the label of the span, {n} its number in the text',
        ),
        pretty: flag('print readable text with coloured spans instead of records'),
        html: text('write a page of highlighted text to this file (or -) instead of records'),
        out: text('where to write; gzip if it ends in .gz, Zstandard if in .zst (Node 22.15)', {
          default: '-',
        }),
        'rotate-bytes': number(
          'write a series of files of at most this size, numbered before the extension of --out: tagged.000001.ndjson',
        ),
        'rotate-seconds': number(
          'close a file of the series this many seconds after its first record',
        ),
        checkpoint: text(
          'folder for checkpoints, from which --resume continues exactly; needs --out, whose file is named FILE.part until the run ends',
          { conflicts: ['replay'] },
        ),
        'checkpoint-seconds': number('seconds between two checkpoints [default: 30]', {
          implies: 'checkpoint',
        }),
        resume: flag('resume from the newest checkpoint, if there is one', {
          implies: 'checkpoint',
        }),
        'model-version': flag('add the id of the model to each record, as _model'),
      })
      .options(marginalsOption)
      .option('scores', flag('add the score of each sentence'))
      .options(useOption)
      .options(decodingOptions)
      .options(constraintOptions)
      .option('replay', text('read the records of this dead-letter file instead of the inputs'))
      .options(limitOption)
      .options(workersOption)
      .options(shutdownOption)
      .options(kernelOption)
      .options(badRecordOptions)
      .options(metricsOptions)
      .options(natsOptions)
      .options(logOptions) as never,
  handler: named =>
    reporting(named, async report => {
      refuseShown(named);
      const given = {
        ...named,
        ...(await namedModels(named.model, named)),
        plugins: await pluginsOf(named),
      };
      requireRotation(given);
      if (!given.model.startsWith('nats://')) return tagWith(given, report);
      const { tagRegistered } = await import('../tag/tag-registered.js');
      await tagRegistered(given, report, file => tagWith(file, report));
    }),
};

/** Command arguments, with all models and their columns. */
type CommandArguments = Omit<TagArguments, 'model' | 'column' | 'further'> &
  UseArguments & { readonly model: readonly string[]; readonly column?: readonly string[] };

async function tagWith(given: TagArguments, report: Reporting): Promise<void> {
  let pool: TaggingPool | undefined;
  // Records are counted in one thread; the output is the same for any number of workers.
  if (given.workers > 1 && given.limit === undefined) {
    const { startTaggingPool } = await import(
      '../../runtime/pipeline/tagging/start-tagging-pool.js'
    );
    pool = startTaggingPool(given.workers);
  }
  try {
    const { tagFiles } = await import('../tag/tag-files.js');
    await tagFiles(given, report, pool);
  } finally {
    await pool?.close();
  }
}
