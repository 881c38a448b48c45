import { joined } from '../../core/arrays.js';
import { TagstreamError } from '../../core/errors.js';
import { kinds, requireArgument, requireKnown } from '../../core/schema/require-argument.js';
import { plainLabels } from '../../text/labels/label-codecs.js';
import type { StoredLayer } from '../bundled-layers.js';
import type { ModelSpec } from '../model-spec.js';
import { layerSections, layersHeader, readLayers } from './added/layer-sections.js';
import {
  isOfTokenizer,
  requireStoredTokenizer,
  tokenizerHeader,
  tokenizerSections,
} from './added/tokenizer-sections.js';
import {
  formatVersionOf,
  modelHeaderOf,
  mostLayers,
  newestFormatVersion,
  readModelHeader,
} from './model-header.js';
import { damagedModel, readSections, type Sections, writeSections } from './section-file.js';

/** A model file that becomes part of a bundle. */
export interface BundledModel {
  readonly bytes: Uint8Array;
  /** Name of the file, for errors. */
  readonly source?: string | undefined;
  /**
   * Column of the model's tags. Default: the column of its training data, such as `upos`, or else the base name of
   * its file without extension.
   */
  readonly column?: string | undefined;
}

/** Options of `bundleModels`. */
export interface BundleOptions {
  /** Model file whose learned tokenizer splits texts for the models, replacing the first model's tokenizer. */
  readonly tokenizer?: Pick<BundledModel, 'bytes' | 'source'> | undefined;
}

/**
 * Combines several model files into one: the first tokenizes and tags, and the others tag after it, in order. A
 * model's templates can read the columns of the preceding models, and its tags are results in its own column. A file
 * that is already a bundle contributes all its layers. The bytes of a single file are returned unchanged.
 *
 * @throws TagstreamError `config` for a duplicate or unnamed column, or a tokenizer file without a tokenizer;
 *   `model-format`, `model-version`, `model-damaged`
 */
export function bundleModels(
  models: readonly BundledModel[],
  options: BundleOptions = {},
): Uint8Array {
  requireKnown('bundleModels', options, ['tokenizer']);
  requireArgument('bundleModels: the models', models, kinds.iterable);
  for (const { bytes } of models)
    requireArgument('bundleModels: the bytes of a model', bytes, kinds.bytes);
  const [first, ...further] = models;
  if (first === undefined) throw withoutModels();
  const { tokenizer } = options;
  if (further.length === 0 && first.column === undefined && tokenizer === undefined) {
    return first.bytes;
  }
  const taken = takenApart(first, 'tags');
  const base = tokenizer === undefined ? taken : { ...taken, ...dividedBy(tokenizer, taken) };
  const parts = further.map(model => takenApart(model));
  const layers = [
    ...base.layers,
    ...parts.flatMap(({ column, bytes, layers: own, source }): readonly StoredLayer[] => {
      if (column === undefined) throw withoutColumn(source);
      return [{ column, codec: plainLabels.learn([]), bytes: bytes() }, ...own];
    }),
  ];
  if (layers.length === 0) {
    return tokenizer === undefined ? first.bytes : fileOf(base.header, base.sections);
  }
  const stored = { column: base.column!, layers };
  requireColumns([stored.column, ...layers.map(({ column }) => column)]);
  const { header, sections } = base;
  return fileOf(
    { ...header, bundle: layersHeader(stored) },
    { ...sections, ...layerSections(stored) },
  );
}

/**
 * Returns the column of a model's tags, if its training data named one.
 *
 * @example
 * columnOfTags({ input: { codec: 'conllu', options: { tag: 'upos' } } }) // => 'upos'
 */
export function columnOfTags({ input }: Pick<ModelSpec, 'input'>): string | undefined {
  const { tag } = (input?.options ?? {}) as { readonly tag?: unknown };
  return typeof tag === 'string' && tag !== '' ? tag : undefined;
}

/** Splits a model file into the model itself and its layers. */
function takenApart({ bytes, source: named, column }: BundledModel, usual?: string) {
  const source = named ?? '<model>';
  const file = readSections(bytes, newestFormatVersion, source);
  const whole = modelHeaderOf(file, source);
  const layers = readLayers(file, whole, damagedModel(source))?.layers ?? [];
  const { bundle, sections: table, ...header } = whole as typeof whole & SectionTable;
  const own = layerSections(bundle && { column: bundle.column, layers });
  const sections: Record<string, Sections[string]> = {};
  for (const { name, type } of table) {
    if (!Object.hasOwn(own, name)) sections[name] = file.section(name, type);
  }
  return {
    ...{ source, header, sections, layers },
    column: column ?? bundle?.column ?? columnOfTags(header.spec) ?? usual ?? stemOf(named),
    bytes: () => (bundle === undefined ? Uint8Array.from(bytes) : fileOf(header, sections)),
  };
}

/**
 * Returns the header and sections of a model with another file's tokenizer.
 *
 * @throws TagstreamError `config` if that file has none
 */
function dividedBy(
  { bytes, source = '<tokenizer>' }: NonNullable<BundleOptions['tokenizer']>,
  { header, sections }: Pick<ReturnType<typeof takenApart>, 'header' | 'sections'>,
): Pick<ReturnType<typeof takenApart>, 'header' | 'sections'> {
  requireArgument('bundleModels: the bytes of a tokenizer', bytes, kinds.bytes);
  const stored = requireStoredTokenizer(bytes, source);
  const { spec } = readModelHeader(bytes, source);
  const learned =
    spec.tokenize?.tokenizer === 'learned'
      ? spec.tokenize
      : { tokenizer: 'learned' as const, sentences: true, locale: stored.locale };
  const others = Object.entries(sections).filter(([name]) => !isOfTokenizer(name));
  return {
    header: {
      ...header,
      spec: { ...header.spec, tokenize: learned },
      tokenizer: tokenizerHeader(stored),
    },
    sections: { ...Object.fromEntries(others), ...tokenizerSections(stored) },
  };
}

/** Returns a file's base name without extension; undefined if nothing is left. */
function stemOf(file: string | undefined): string | undefined {
  const name = file?.split(/[/\\]/).at(-1) ?? '';
  const dot = name.lastIndexOf('.');
  return (dot > 0 ? name.slice(0, dot) : name) || undefined;
}

/** A file's sections, as listed in its header. */
interface SectionTable {
  readonly sections: readonly {
    readonly name: string;
    readonly type: 'Uint8Array' | 'Uint16Array' | 'Uint32Array' | 'Float32Array';
  }[];
}

function fileOf(
  header: Parameters<typeof formatVersionOf>[0],
  sections: Sections,
): Uint8Array<ArrayBuffer> {
  const given = header as unknown as Readonly<Record<string, unknown>>;
  return joined(writeSections(formatVersionOf(header), given, sections));
}

function requireColumns(columns: readonly string[]): void {
  const refuse = (problem: string, fix: string): never => {
    throw new TagstreamError('config', problem, { fix });
  };
  if (columns.length > mostLayers + 1) {
    refuse(`the bundle has ${columns.length} models`, `use at most ${mostLayers + 1}`);
  }
  if (columns.includes('')) refuse('the column of a model has no name', 'name it, for example ner');
  const twice = columns.find((column, i) => columns.indexOf(column) < i);
  if (twice === undefined) return;
  refuse(
    `two models have their tags in the column "${twice}"`,
    'name another column for one of them: --column, column of model, or the option column',
  );
}

function withoutModels(): TagstreamError {
  return new TagstreamError('config', 'the bundle has no models', {
    fix: 'name at least one model',
  });
}

function withoutColumn(source: string): TagstreamError {
  return new TagstreamError('config', 'the tags of the model have no column name', {
    place: { source },
    fix: 'name it: --column, column of model, or the option column',
  });
}
