import * as z from 'zod';
import { labelCodecs } from '../../../engine/text/labels/label-codecs.js';
import { featureShape, presetOption } from './feature-options.js';
import { type Named, oneOf } from './one-of.js';
import { structureShape } from './structure-options.js';

const { cutoff, support, compressed } = featureShape;

const codecNames = labelCodecs.map(({ name }) => name);

const columnShape = {
  preset: presetOption,
  templates: z
    .optional(z.array(z.string()).min(1))
    .describe(
      'lines of templates; %x[0,NAME] looks at the prediction of an earlier column. Default: the templates of the model itself, and those of the columns before at three tokens',
    ),
  as: z
    .enum(codecNames)
    .default('plain')
    .describe(
      'labels: plain: the values; dictionary: the values, except that frequent words with practically one value per tag are looked up, which makes tagging faster; script: edit scripts that make lemmas of forms',
    ),
  by: z
    .optional(z.string().min(1))
    .describe(
      'the column whose value, with the form, selects the entry of the dictionary or the edit scripts; default: that of the tags of the model',
    ),
  ...{ cutoff, support, compressed, prune: structureShape.prune, parts: structureShape.parts },
};

/**
 * Further columns by name, learned one after the other.
 *
 * @param optimizers available optimizers, online and batch
 */
export const columnsOptionOf = (optimizers: readonly Named[]) =>
  z
    .record(
      z.string().min(1),
      z.strictObject({
        ...columnShape,
        optimizer: oneOf(optimizers)
          .optional()
          .describe('the optimizer; default: that of the pipeline'),
      }),
    )
    .refine(columns => Object.keys(columns).length > 0, {
      message: 'at least one column is needed',
    })
    .refine(columns => !Object.hasOwn(columns, 'form'), {
      message: 'the column form holds the tokens',
    });

export type ColumnsOptions = z.output<ReturnType<typeof columnsOptionOf>>;

export type ColumnOptions = ColumnsOptions[string];
