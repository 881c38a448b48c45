import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fileDigest } from '../../../../src/runtime/io/download/download.js';
import {
  corpusNamed,
  readCatalogue,
} from '../../../../src/runtime/pipeline/corpora/read-catalogue.js';
import { workspace } from '../../../cli/commands/workspace.js';
import { corpora, corporaPresent } from '../../../house/corpora/corpora.js';

const shipped = readCatalogue(resolve(import.meta.dirname, '../../../../corpora/catalogue.yaml'));
const folder = workspace();

describe('the catalogue of corpora', () => {
  it('has addresses that stay, or says that a file is not verified', () => {
    for (const { downloads, licence, splits } of shipped) {
      expect(licence.length).toBeGreaterThan(3);
      expect(splits.train).toBeDefined();
      for (const { url, sha256 } of downloads) {
        expect(url).toMatch(/^https:/);
        if (sha256 !== null) expect(url).toMatch(/\/(?:[0-9a-f]{40}|r\d\.\d+)\//);
      }
    }
  });

  it('wants a licence accepted wherever use is limited', () => {
    const limited = shipped.filter(({ licence }) => !licence.startsWith('CC BY'));
    expect(limited.length).toBeGreaterThan(0);
    expect(limited.every(({ restricted }) => restricted)).toBe(true);
  });

  it.skipIf(!corporaPresent('digests of the catalogue'))('knows the files at hand', async () => {
    const digests = shipped.flatMap(({ name, downloads }) =>
      downloads.flatMap(({ file, sha256, members = [] }) =>
        [...members, { file: file ?? '', sha256 }].map(
          one => [`${name}/${one.file}`, one.sha256] as const,
        ),
      ),
    );
    const known = new Map<string, string | null>(digests);
    for (const path of [
      'conll2000/test.txt',
      'conll2002-es/esp.testa',
      'ud-english-ewt/dev.conllu',
    ]) {
      expect((await fileDigest(join(corpora, path))).sha256).toBe(known.get(path));
    }
  });

  it('finds a corpus, or the nearest name', () => {
    expect(corpusNamed(shipped, 'wnut17').task).toBe('ner');
    expect(() => corpusNamed(shipped, 'conl2000')).toThrow('did you mean conll2000?');
  });

  it('says where an entry is wrong', () => {
    const file = join(folder, 'catalogue.yaml');
    const entry = (text: string) => {
      writeFileSync(
        file,
        `version: 1
corpora:
  - name: a
    task: pos
    language: en
    about: x
    licence: x
    restricted: false
    homepage: https://example.org
    source: { conll: {} }
    splits: { train: { file: t } }
    downloads: [${text}]
`,
      );
      return () => readCatalogue(file);
    };
    const url = 'url: https://example.org/t';
    expect(entry(`{ ${url}, file: t, bytes: null, sha256: null }`)()).toHaveLength(1);
    expect(entry(`{ ${url}, file: t, bytes: null, sha256: abc }`)).toThrow(
      /catalogue\.yaml:12:.*a SHA-256 in hexadecimal/,
    );
    expect(entry(`{ ${url}, file: ../t, bytes: null, sha256: null }`)).toThrow('a plain file name');
    expect(entry(`{ url: "file:///t", file: t, bytes: null, sha256: null }`)).toThrow(
      /downloads\[0\]\.url/,
    );
    expect(entry(`{ ${url}, file: u, bytes: null, sha256: null }`)).toThrow(
      'a split names a file that no download contains',
    );
    const twice = `{ ${url}, file: t, bytes: null, sha256: null }`;
    expect(entry(`${twice}, ${twice}`)).toThrow('would be written to the same file');
    const members = `members: [{ member: a, file: t, bytes: 1, sha256: ${'a'.repeat(64)} }]`;
    const archive = (address: string) =>
      entry(`{ url: "https://example.org/${address}", ${members}, bytes: null, sha256: null }`);
    expect(archive('a.zip')()).toHaveLength(1);
    expect(archive('t')).toThrow('would be written to the same file');
    expect(archive('a/..')).toThrow('an archive has no name');
    expect(entry(`{ ${url}, bytes: null, sha256: null }`)).toThrow('either one file or an archive');
  });
});
