import { resolve } from 'node:path';
import type { ModelSpec } from '../../models/model-spec.js';
import { codecOf } from '../../pipeline/catalogue/codec-of.js';
import type { Pipeline } from '../../pipeline/definition/pipeline.js';
import { transportSetting } from '../../pipeline/definition/transport-setting.js';
import type { PluginParts } from '../../pipeline/plugins/plugin-parts.js';
import { filesOf, selectionOf } from '../../pipeline/sources/common-options.js';
import type { ChosenSource } from '../../pipeline/sources/source-component.js';
import { inputFormat } from '../files/input-format.js';
import type { LabelledInput } from './sentences-of.js';

/** How a labelled file is read. */
export interface FileHints {
  readonly format?: string | undefined;
  readonly plugins: PluginParts | undefined;
}

/** A labelled file as an input, in the format that is named or found, with its `split` and `limit`. */
export async function labelledFile(
  file: string,
  { format: named, plugins }: FileHints,
  spec: ModelSpec,
): Promise<LabelledInput> {
  const sources = plugins?.sources;
  const format = await inputFormat({ file, named, spec, sources, selects: true }, process.stdin);
  return {
    ...{ name: file, files: [file], codec: codecOf(format, sources) },
    selection: selectionOf(format.options),
  };
}

/** A source of a pipeline file as an input. */
export function labelledSource(
  { baseDirectory, file: name }: Pipeline,
  { component, options }: ChosenSource,
): LabelledInput {
  const path = (file: string) => (file === '-' ? file : resolve(baseDirectory, file));
  return {
    ...{ name, files: filesOf(options).map(path), codec: component.codec(options) },
    transport: component.transport?.(options, transportSetting({ resolve: path }, false)),
    stdin: component.generated?.(options),
    selection: selectionOf(options),
  };
}
