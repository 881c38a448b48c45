import * as z from 'zod';
import { TagstreamError } from '../../core/errors.js';
import { presetTemplates } from '../../features/presets/preset-templates.js';
import { presets } from '../../features/presets/presets.js';
import { withListTemplates } from '../../features/resources/list-templates.js';
import { parseTemplates } from '../../features/template/parse-templates.js';

import { contentDigest } from '../../io/content-digest.js';
import { Model } from '../../models/model.js';
import { readModel } from '../../models/model-file.js';
import type { IndexSpec, ModelSpec } from '../../models/model-spec.js';
import { restoreModelState } from '../../models/model-state.js';
import { featurize } from '../../operators/featurize.js';
import { nearest } from '../file/nearest.js';
import { restorePart } from '../restore-run.js';
import type { RunSetup } from '../run-setup.js';
import { openStart } from '../start-from.js';
import { readResources, resourceOptions } from './read-resources.js';
import { defineStage } from './stage-component.js';

const presetNames = presets.map(({ name }) => name);

function unknownPreset(input: unknown): string {
  const near = nearest(String(input), presetNames);
  return `there is no preset "${input}": did you mean ${near}? known: ${presetNames.join(', ')}`;
}

const options = z
  .strictObject({
    templates: z
      .union([z.string().min(1), z.array(z.string()).min(1)])
      .optional()
      .describe('a template file, or the lines of templates themselves'),
    preset: z
      .enum(presetNames, { error: ({ input }) => unknownPreset(input) })
      .optional()
      .describe('ready-made templates for a task; lines in templates are added to them'),
    model: z.string().min(1).optional().describe('a model file, in place of templates: to tag'),
    ...resourceOptions,
    columns: z
      .array(z.string().min(1))
      .min(1)
      .optional()
      .describe('names of the columns by number; those of the source if nothing is said'),
    cutoff: z
      .int()
      .min(1)
      .default(1)
      .describe('times that a feature has to be seen before it counts'),
    mutualInformation: z
      .strictObject({
        keep: z.int().min(1).optional().describe('features that stay at most'),
        least: z.number().min(0).optional().describe('least information in nats to stay'),
      })
      .refine(({ keep, least }) => keep !== undefined || least !== undefined, {
        message: 'keep or least is needed',
      })
      .optional()
      .describe(
        'before training only the features stay that tell most about the label of their token, by counts of the corpus',
      ),
    support: z
      .enum(['all', 'observed'])
      .default('all')
      .describe('weights for all labels of a feature, or only for pairs seen in training'),
    hashed: z
      .strictObject({
        rows: z
          .int()
          .min(1)
          .default(2 ** 20)
          .describe('rows that all features of tokens share'),
        edgeRows: z
          .int()
          .min(1)
          .default(2 ** 10)
          .describe('rows of features of transitions'),
      })
      .optional()
      .describe('a fixed number of rows, for streams whose vocabulary never ends'),
    prune: z
      .strictObject({
        every: z
          .int()
          .min(1)
          .default(10_000)
          .describe(
            'sentences from one pruning to the next: features that have no weight and were not seen since the last one go',
          ),
      })
      .optional()
      .describe(
        'exact rows for streams whose vocabulary never ends: features that sgd-l1 has made zero go',
      ),
    dictionary: z
      .strictObject({
        minCount: z
          .int()
          .min(1)
          .default(20)
          .describe('times that a word has to come in training to be in the dictionary'),
      })
      .optional()
      .describe('learn a tag dictionary: frequent words get only tags that they had in training'),
  })
  .refine(
    ({ templates, preset, model }) =>
      (templates === undefined && preset === undefined) !== (model === undefined),
    { message: 'either templates (or a preset) or model is needed, not both' },
  )
  .refine(
    ({ model, gazetteers, clusters }) =>
      model === undefined || (gazetteers === undefined && clusters === undefined),
    { message: 'a model has its lists: gazetteers and clusters go with templates' },
  )
  .refine(
    ({ hashed, mutualInformation }) => hashed === undefined || mutualInformation === undefined,
    {
      message: 'either hashed or mutualInformation: rows that features share cannot be selected',
    },
  )
  .refine(({ hashed, prune }) => hashed === undefined || prune === undefined, {
    message: 'either hashed or prune: hashed features are never more than their rows',
  });

export const featurizeStage = defineStage({
  name: 'featurize',
  summary: 'turns sentences into features, by templates or by those of a model',
  example: 'featurize: { templates: templates/chunking.tpl }',
  takes: ['sentence', 'document'],
  gives: 'encoded sentence',
  options,
  create(chosen, setup) {
    setup.model = modelOf(chosen, setup);
    if (setup.restored === undefined) openStart(setup);
    return featurize(setup.model, sentence => setup.checkSentence?.(sentence));
  },
});

function modelOf(chosen: z.output<typeof options>, setup: RunSetup): Model {
  if (chosen.model !== undefined) {
    const bytes = setup.readBytes(chosen.model);
    if (setup.status !== undefined) setup.status.modelDigest = contentDigest([bytes]);
    return readModel(bytes, setup.path(chosen.model), setup.kernel);
  }
  if (setup.restored !== undefined) {
    return restorePart(setup.restored, 'model', state => restoreModelState(state, setup.kernel));
  }
  const index: IndexSpec =
    chosen.hashed === undefined
      ? {
          mode: 'exact',
          cutoff: chosen.cutoff,
          ...(chosen.mutualInformation === undefined
            ? {}
            : { information: chosen.mutualInformation }),
          ...(chosen.prune === undefined ? {} : { pruneEvery: chosen.prune.every }),
        }
      : { mode: 'hashed', ...chosen.hashed };
  const { component, options: sourceOptions } = setup.source;
  const resources = readResources(chosen, setup);
  try {
    const columns = chosen.columns ?? component.columns(sourceOptions);
    const spec: ModelSpec = {
      templates: withListTemplates(templateText(chosen, columns, setup), resources),
      columns,
      index,
      support: chosen.support,
      ...(chosen.dictionary === undefined ? {} : { dictionary: chosen.dictionary }),
      input: { codec: component.name, options: component.codecOptions(sourceOptions) },
      ...(setup.tokenizeOptions === undefined ? {} : { tokenize: setup.tokenizeOptions }),
      ...(resources === undefined ? {} : { resources }),
    };
    return new Model(spec, { kernel: setup.kernel });
  } catch (thrown) {
    const source = typeof chosen.templates === 'string' ? setup.path(chosen.templates) : undefined;
    throw TagstreamError.from(thrown, 'template', source === undefined ? {} : { source });
  }
}

/** The preset, if there is one, then the templates of the file. */
function templateText(
  { preset, templates }: z.output<typeof options>,
  columns: readonly string[],
  setup: RunSetup,
): string {
  const texts: string[] = [];
  if (preset !== undefined) {
    // A column that is to be predicted is no input.
    const { tag } = setup.source.options;
    texts.push(
      presetTemplates(
        preset,
        columns.filter(column => column !== tag),
      ),
    );
  }
  if (templates !== undefined) {
    const own = Array.isArray(templates)
      ? templates.join('\n')
      : new TextDecoder().decode(setup.readBytes(templates));
    // Lines are those of the file: behind a preset they would be others.
    parseTemplates(own, Array.isArray(templates) ? undefined : setup.path(templates));
    texts.push(own);
  }
  return texts.join('\n');
}
