import type { TagstreamError } from '../../../core/errors.js';
import { labelCodecs } from '../../../text/labels/label-codecs.js';
import type { StoredLayer, StoredLayers } from '../../bundled-layers.js';
import type { ModelHeader } from '../model-header.js';
import {
  type FileBytes,
  jsonOf,
  type SectionFile,
  type Sections,
  withBytes,
} from '../section-file.js';

/** Names of a layer's sections: its model file and its labels' codec. */
function names(number: number): { readonly file: string; readonly codec: string } {
  return { file: `layer.${number}`, codec: `layer.${number}.codec` };
}

/** Returns the sections of a bundle's layers; empty if there are none. */
export function layerSections(stored: StoredLayers | undefined): Sections {
  const sections: Record<string, Uint8Array> = {};
  for (const [i, { bytes, codec }] of (stored?.layers ?? []).entries()) {
    sections[names(i).file] = bytes;
    sections[names(i).codec] = new TextEncoder().encode(JSON.stringify(codec));
  }
  return sections;
}

/** Returns the layers in the header of a model file. */
export function layersHeader({ column, layers }: StoredLayers): NonNullable<ModelHeader['bundle']> {
  return {
    column,
    layers: layers.map(({ column: own, codec, by }) => ({
      column: own,
      codec: codec.name,
      ...(by === undefined ? {} : { by }),
    })),
  };
}

/**
 * Returns the layers in a model file; undefined if it has none.
 *
 * @throws the error that `fail` returns for a header that names missing layers or unknown codecs
 */
export function readLayers(
  file: SectionFile,
  { bundle }: Pick<ModelHeader, 'bundle'>,
  fail: (what: string) => TagstreamError,
): StoredLayers | undefined {
  const count = bundle?.layers.length ?? 0;
  if (file.has(names(count).file)) throw fail('its layers do not match its header');
  if (bundle === undefined) return undefined;
  const layers = bundle.layers.map(({ column, codec: name, by }, i): StoredLayer => {
    const json = jsonOf(file.section(names(i).codec, 'Uint8Array'), what =>
      fail(`the labels of layer "${column}" are ${what}`),
    );
    const kind = labelCodecs.find(each => each.name === name);
    const isObject = typeof json === 'object' && json !== null;
    const codec = isObject ? kind?.read(json) : undefined;
    if (codec === undefined) throw fail(`the labels of layer "${column}" are not ${name}`);
    return withBytes({ column, codec, by }, file, names(i).file);
  });
  return { column: bundle.column, layers };
}

/** Returns the model file of each layer, to be read part by part. */
export function layerFiles(file: SectionFile, { layers }: StoredLayers): readonly FileBytes[] {
  return layers.map((_, i) => file.file(names(i).file));
}
