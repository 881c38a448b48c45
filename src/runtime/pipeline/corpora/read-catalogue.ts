import * as z from 'zod';
import { TagstreamError } from '../../../engine/core/errors.js';
import { suggestion } from '../../../engine/core/wording/nearest.js';
import { readBytes } from '../../../formats/reading/read-bytes.js';
import { selectionOptions } from '../../io/sources/select-records.js';
import { sources } from '../catalogue/sources.js';
import { Checker } from '../file/check.js';
import { parseYaml } from '../file/yaml-document.js';
import { oneOf } from '../options/one-of.js';

/**
 * Reads the corpora of a catalogue file.
 *
 * @throws TagstreamError `file`, or `config` with line and column
 */
export function readCatalogue(path: string): readonly Corpus[] {
  const yaml = parseYaml(new TextDecoder().decode(readBytes(path)), path);
  return new Checker(yaml).parse(catalogueSchema, yaml.value).corpora;
}

/**
 * Returns the corpus with a name.
 *
 * @throws TagstreamError `usage` if there is none
 */
export function corpusNamed(corpora: readonly Corpus[], name: string): Corpus {
  const found = corpora.find(corpus => corpus.name === name);
  if (found !== undefined) return found;
  const names = corpora.map(corpus => corpus.name);
  throw new TagstreamError('usage', `the catalogue has no corpus ${name}`, {
    fix: suggestion(name, names),
  });
}

/** Pattern of the name of a file directly in its corpus's folder. */
const plainName = /^[\w-][\w.-]*$/;
const fileName = z.string().regex(plainName, 'a plain file name');
const digest = z.string().regex(/^[0-9a-f]{64}$/, 'a SHA-256 in hexadecimal');
const size = z.int().min(1);

const download = z
  .strictObject({
    url: z.url({ protocol: /^https?$/ }).describe('address'),
    file: fileName.optional().describe('name of the file, if the download is a single file'),
    members: z
      .optional(
        z
          .array(
            z.strictObject({
              member: z.string().min(1),
              file: fileName,
              bytes: size,
              sha256: digest,
            }),
          )
          .min(1),
      )
      .describe('files of the corpus in the archive, if the download is a ZIP archive'),
    bytes: size.nullable().describe('its size in bytes; null if unknown'),
    sha256: digest.nullable().describe('its SHA-256; null if not verified'),
  })
  .refine(({ file, members }) => (file === undefined) !== (members === undefined), {
    message: 'a download is either one file or an archive with members',
  });

const corpus = z
  .strictObject({
    name: fileName.describe('name, and the folder for its files'),
    task: z.enum(['pos', 'chunk', 'ner', 'letters']),
    language: z.string().regex(/^[a-z]{2,3}$/, 'a language code'),
    about: z.string().min(1),
    licence: z.string().min(1),
    restricted: z.boolean().describe('the licence restricts use and has to be accepted'),
    homepage: z.url({ protocol: /^https?$/ }),
    source: oneOf(sources).describe('format of the files'),
    downloads: z.array(download).min(1),
    splits: z
      .record(
        z.enum(['train', 'dev', 'test']),
        z.strictObject({ file: fileName, split: selectionOptions.shape.split }).optional(),
      )
      .describe('the files of each part'),
  })
  .refine(
    ({ downloads, splits }) => {
      const files = downloads.flatMap(({ file, members }) => [
        ...(file === undefined ? [] : [file]),
        ...(members ?? []).map(member => member.file),
      ]);
      return Object.values(splits).every(part => part === undefined || files.includes(part.file));
    },
    { message: 'a split names a file that no download contains' },
  )
  .refine(
    ({ downloads }) => {
      const names = downloads.flatMap(({ url, file, members }) =>
        file === undefined ? [archiveName(url), ...(members ?? []).map(one => one.file)] : [file],
      );
      return new Set(names).size === names.length && names.every(name => plainName.test(name));
    },
    { message: 'two downloads would be written to the same file, or an archive has no name' },
  );

/** Returns the name that an archive has in its corpus's folder until it is unpacked. */
export function archiveName(url: string): string {
  return new URL(url).pathname.split('/').at(-1)!;
}

/** The catalogue of public corpora. */
export const catalogueSchema = z.strictObject({
  version: z.literal(1),
  corpora: z
    .array(corpus)
    .refine(all => new Set(all.map(({ name }) => name)).size === all.length, 'a name occurs twice'),
});

export type Corpus = z.output<typeof corpus>;
export type CorpusDownload = Corpus['downloads'][number];
