import { TagstreamError } from '../core/errors.js';
import type { CodecComponent } from './codec-component.js';
import type { CodecDefinition } from './definitions.js';
import { optionsSchema } from './options-schema.js';
import { guarded } from './plugin-fault.js';

/** The codec of a plug-in, checked. */
export function pluginCodec(definition: CodecDefinition, what: string): CodecComponent {
  const { name, summary, records, extensions } = definition;
  if (records !== 'lines' && records !== 'sentences') {
    throw new TagstreamError('config', `${what} does not say what a record is`, {
      fix: 'give records: lines, or records: sentences for lines up to a blank one',
    });
  }
  return {
    ...{ name, summary, records, what },
    ...(extensions === undefined ? {} : { extensions }),
    example: definition.example ?? `source: { ${name}: { files: [train.${name}] } }`,
    options: optionsSchema(definition.options, what),
    create(options) {
      const made = guarded(what, 'config', () => definition.create(options as never));
      if (typeof made?.parse === 'function' && typeof made.write === 'function') return made;
      throw new TagstreamError(
        'config',
        `create of ${what} has returned no object with parse and write`,
        {
          fix: 'let it return { parse: text => record, write: tagged => text }',
        },
      );
    },
  };
}
