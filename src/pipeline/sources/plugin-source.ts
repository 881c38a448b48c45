import * as z from 'zod';
import { schemaMessages } from '../../core/schema/schema-messages.js';
import { type RecordLimits, recordCodec } from '../../io/codecs/record-codec.js';
import { lineOptions } from '../../io/lines/line-options.js';
import type { CodecComponent } from '../../plugins/loaded-plugin.js';
import { commonSourceShape, type SourceComponent, withoutCommon } from './source-component.js';

type Options = Readonly<Record<string, unknown>>;

/** Returns the codec of a plug-in as a source of pipeline files. */
export function pluginSource(component: CodecComponent): SourceComponent {
  const { name, summary, example, extensions, options } = component;
  const own = Object.keys(options.shape);
  const ownOf = (chosen: Options) =>
    Object.fromEntries(
      own.map(key => [key, chosen[key]]).filter(([, value]) => value !== undefined),
    );
  return {
    ...{ name, summary, example },
    ...(extensions === undefined ? {} : { extensions }),
    canLackTags: own.includes('tagOptional'),
    options: z
      .strictObject({ ...options.shape, ...lineOptions, ...commonSourceShape })
      .superRefine((chosen, context) => {
        // Applies the plug-in's rules about combinations of its options.
        const checked = options.safeParse(ownOf(chosen), { error: schemaMessages });
        for (const { path, message } of checked.error?.issues ?? []) {
          context.addIssue({ code: 'custom', path: [...path], message });
        }
      }),
    codecOptions: withoutCommon,
    codec: chosen => recordCodec(component, ownOf(chosen), chosen as RecordLimits),
    columns: chosen => component.create(ownOf(chosen)).columns ?? ['form'],
  };
}
