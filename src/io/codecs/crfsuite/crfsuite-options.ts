import * as z from 'zod';
import { lineOptions } from '../../lines/line-options.js';
import { tagCellOptions } from '../tag-cell-options.js';

export const crfsuiteOptions = z
  .strictObject({
    attributes: z
      .record(z.string().min(1), z.string().min(1))
      .default({ form: 'w[0]' })
      .describe(
        'columns by the names of their attributes, `form` is the token: {form: "w[0]", pos: "pos[0]"} reads w[0]=He and pos[0]=PRP; other attributes are left out',
      ),
    window: z
      .int()
      .min(0)
      .max(10)
      .default(2)
      .describe(
        'tokens to either side whose attributes are written with each token, as CRFsuite has no templates: w[-1], w[1], ...',
      ),
    ...tagCellOptions,
    ...lineOptions,
  })
  .refine(({ attributes }) => 'form' in attributes, {
    path: ['attributes'],
    message: 'the attribute of form, the token, is expected',
  });
