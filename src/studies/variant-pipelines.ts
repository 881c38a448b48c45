import { dirname, isAbsolute, join } from 'node:path';
import { TagstreamError } from '../engine/core/errors.js';
import { fileError } from '../formats/files/file-error.js';
import { readBytes } from '../formats/reading/read-bytes.js';
import {
  changePipeline,
  type Pipeline,
  stagesWithout,
} from '../runtime/pipeline/definition/pipeline.js';
import { type Path, parseYaml, type YamlDocument } from '../runtime/pipeline/file/yaml-document.js';
import { type LoadOptions, pipelineOf } from '../runtime/pipeline/loading/load-pipeline.js';
import type { StudyFile, VariantOptions } from './study-schema.js';

type Settings = Readonly<Record<string, unknown>> | readonly string[];

/** Changes that a run makes to the pipeline, and their place in the study. */
interface Layer {
  readonly settings: Settings;
  readonly path: Path | undefined;
}

interface Base {
  readonly yaml: YamlDocument;
  readonly file: string;
}

/** The pipelines of a study's runs: a base with layers of settings. */
export class VariantPipelines {
  readonly #study: StudyFile;
  readonly #yaml: YamlDocument;
  readonly #file: string;
  readonly #options: Pick<LoadOptions, 'environment'>;
  readonly #last: readonly Settings[];
  readonly #files = new Map<string, Base>();

  /** @param last settings for all runs, after those of rows, columns and cells */
  constructor(
    study: StudyFile,
    yaml: YamlDocument,
    file: string,
    { last, environment }: Pick<LoadOptions, 'environment'> & { last: readonly Settings[] },
  ) {
    this.#study = study;
    this.#yaml = yaml;
    this.#file = file;
    this.#options = environment === undefined ? {} : { environment };
    this.#last = last;
  }

  /** Returns whether the study skips a run. */
  skips(row: string, column: string | undefined): boolean {
    return this.#cells(row, column).some(({ cell }) => cell.skip);
  }

  /**
   * Returns the pipeline of a run, which trains, but writes neither a model nor checkpoints.
   *
   * @throws TagstreamError `config`, `usage` or `file`, about the pipeline or the settings that break it
   */
  of(row: VariantOptions, column: VariantOptions | undefined, seed: number): Pipeline {
    const { rows, columns = [], replications, set } = this.#study;
    const columnPath = column && ['columns', columns.indexOf(column)];
    const rowPath = ['rows', rows.indexOf(row)];
    const base = this.#base(
      column?.pipeline ?? row.pipeline,
      column?.pipeline === undefined ? rowPath : columnPath!,
    );
    const layers: Layer[] = [
      { settings: set ?? {}, path: ['set'] },
      { settings: row.set ?? {}, path: [...rowPath, 'set'] },
      { settings: column?.set ?? {}, path: columnPath && [...columnPath, 'set'] },
      ...this.#cells(row.name, column?.name).map(({ cell, i }) => ({
        settings: cell.set ?? {},
        path: ['cells', i, 'set'],
      })),
      ...this.#last.map(settings => ({
        settings,
        path: Array.isArray(settings) ? undefined : ['small', 'set'],
      })),
      {
        settings: Object.fromEntries(replications.set.map(path => [path, seed])),
        path: ['replications', 'set'],
      },
    ];
    return measured(this.#checked(base, layers));
  }

  #cells(row: string, column: string | undefined) {
    return (this.#study.cells ?? [])
      .map((cell, i) => ({ cell, i }))
      .filter(({ cell }) => cell.row === row && (cell.column ?? column) === column);
  }

  /** Checks the pipeline; if it is wrong, reports the first layer that breaks it. */
  #checked({ yaml, file }: Base, layers: readonly Layer[]): Pipeline {
    const upTo = (count: number) =>
      pipelineOf(yaml, file, {
        ...this.#options,
        set: layers.slice(0, count).flatMap(({ settings }) => written(settings)),
      });
    try {
      return upTo(layers.length);
    } catch (wrong) {
      for (let count = 0; count <= layers.length; count += 1) {
        try {
          upTo(count);
        } catch (error) {
          const path = count === 0 ? undefined : layers[count - 1]!.path;
          if (path === undefined || !(error instanceof TagstreamError)) throw error;
          throw new TagstreamError('config', error.problem, {
            place: this.#yaml.place(path),
            ...(error.fix === undefined ? {} : { fix: error.fix }),
            cause: error,
          });
        }
      }
      throw wrong;
    }
  }

  /** Returns the base pipeline of a variant. */
  #base(other: string | undefined, path: Path): Base {
    const { pipeline, name } = this.#study;
    if (other === undefined && typeof pipeline !== 'string') {
      const { place } = this.#yaml;
      const yaml: YamlDocument = {
        value: { version: 1, name, ...pipeline },
        place: inner => place(['pipeline', ...inner]),
      };
      return { yaml, file: this.#file };
    }
    const named = other ?? (pipeline as string);
    const file = isAbsolute(named) ? named : join(dirname(this.#file), named);
    let base = this.#files.get(file);
    if (base === undefined) {
      base = { yaml: parseYaml(this.#text(file, other ? path : []), file), file };
      this.#files.set(file, base);
    }
    return base;
  }

  #text(file: string, path: Path): string {
    try {
      return new TextDecoder().decode(readBytes(file));
    } catch (cause) {
      const { problem } = fileError('read', file, cause);
      const place = this.#yaml.place([...path, 'pipeline']);
      throw new TagstreamError('file', problem, { place, fix: 'correct the path', cause });
    }
  }
}

/** Returns settings in the form of `--set`; any JSON value is also a YAML value. */
function written(settings: Settings): readonly string[] {
  if (Array.isArray(settings)) return settings;
  return Object.entries(settings).map(([path, value]) => `${path}=${JSON.stringify(value)}`);
}

/** Returns the pipeline for measuring, which leaves no files behind and skips scores without effect. */
function measured(pipeline: Pipeline): Pipeline {
  const { evaluation } = pipeline.plan;
  const idle = evaluation?.options.patience === undefined ? ['evaluate'] : [];
  const stages = stagesWithout(pipeline, ['checkpoint', ...idle]);
  return changePipeline(pipeline, { stages, model: undefined, deploy: undefined });
}
