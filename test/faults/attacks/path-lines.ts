import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { trainHere } from '../../cli/commands/train-here.js';
import { toyPipeline, toyRecords } from '../../cli/commands/workspace.js';
import type { PathCommand, Sample, Slot } from './path-slots.js';

/** What each kind of file holds, made once. */
const contents = new Map<Sample, string | Uint8Array>();

/** Makes what the files of all cases hold; a model is trained in the folder for it. */
export async function learnSamples(folder: string): Promise<void> {
  const own = join(folder, 'samples');
  mkdirSync(own);
  await trainHere(toyPipeline(own, 30));
  const letter = {
    ...{ source: 'given.ndjson', line: 1, start: 0, end: 1, code: 'not-json', error: 'no JSON' },
    raw: toyRecords(1)[0],
  };
  const curve = { name: 'paths', points: [{ records: 9, scores: { accuracy: 90 } }] };
  contents.set('records', `${toyRecords(30).join('\n')}\n`);
  contents.set('model', readFileSync(join(own, 'toy.model')));
  contents.set('dictionary', 'the\tDET\n');
  contents.set('rules', '- { set: DET, names: [the] }\n');
  contents.set('letters', `${JSON.stringify(letter)}\n`);
  contents.set('curve', JSON.stringify(curve));
  contents.set('templates', 'U00:%x[0,0]\nU01:%x[-1,0]\nB\n');
  contents.set('names', 'dog\n');
  const rows = ['the', 'a', 'dog', 'cat', 'saw'].map((word, i) => `${word} ${i} 1 ${-i}\n`);
  contents.set('vectors', rows.join(''));
  contents.set('pipeline', pipelineText(new Map(), false));
  contents.set('study', studyText(new Map()));
}

/** Writes a file that a command can read. */
export function writeSample(path: string, sample: Sample): void {
  writeFileSync(path, contents.get(sample)!);
}

/** Writes what a command reads where no other path is tried. */
export function makeSamples(folder: string, { slots }: PathCommand): void {
  for (const { reads, always } of slots) {
    if (reads !== undefined && always !== undefined) writeSample(join(folder, always), reads);
  }
}

/** The command line with paths in some places; pipeline and study files are written as they say. */
export function lineFor(
  folder: string,
  { command, further, slots }: PathCommand,
  paths: ReadonlyMap<Slot, string>,
): string[] {
  const inFile = new Map<string, string>();
  const given: string[] = [];
  const needs = new Set<string>();
  for (const slot of slots) {
    const path = paths.get(slot) ?? defaultOf(slot, slots, paths);
    if (path === undefined) continue;
    if (slot.name.startsWith('FILE:')) inFile.set(slot.name.slice('FILE:'.length), path);
    else given.push(...(slot.name.startsWith('--') ? [slot.name] : []), path);
    if (paths.has(slot) && slot.needs !== undefined) needs.add(slot.needs.join('\n'));
  }
  for (const needed of needs) {
    const words = needed.split('\n');
    if (!given.includes(words[0]!)) given.push(...words);
  }
  const path = (name: string) => {
    const slot = slots.find(each => each.name === name);
    return slot === undefined ? undefined : (paths.get(slot) ?? slot.always);
  };
  // As the command will find it, whose working folder this is.
  const placeOf = (name: string) => resolve(folder, name.replace(/^\/proc\/self\/cwd\//, ''));
  const pipeline = path('pipeline') ?? path('pipelines');
  if (pipeline !== undefined) {
    const text = pipelineText(inFile, command === 'run');
    writeFileSync(placeOf(pipeline), text);
  }
  const study = path('study');
  if (study !== undefined && study !== pipeline) {
    writeFileSync(placeOf(study), studyText(new Map([['pipeline', pipeline!]])));
  }
  const positional = given.filter((word, i) => command === 'study' && i > 0 && word === pipeline);
  return [command, ...given.filter(word => !positional.includes(word)), ...further];
}

function defaultOf(
  { name, always }: Slot,
  slots: readonly Slot[],
  paths: ReadonlyMap<Slot, string>,
): string | undefined {
  const isGiven = slots.some(
    slot => paths.has(slot) && (slot.name === name || slot.replaces === name),
  );
  return isGiven ? undefined : always;
}

/** A pipeline that trains for a moment, with paths where they are given. */
function pipelineText(paths: ReadonlyMap<string, string>, isRun: boolean): string {
  const quoted = (name: string) => JSON.stringify(paths.get(name));
  const when = (name: string, text: string) => (paths.has(name) ? text : '');
  const templates = paths.has('templates')
    ? quoted('templates')
    : '["U00:%x[0,0]", "U01:%x[-1,0]", "B"]';
  const gazetteers = when('gazetteer', `, gazetteers: { names: ${quoted('gazetteer')} }`);
  const isStream = isRun && paths.has('sink');
  const train = isStream ? 'corpusSize: 30' : 'epochs: 1';
  return `version: 1
name: paths
source: { ndjson: { files: [${paths.has('source') ? quoted('source') : '"given.ndjson"'}] } }
stages:
  - featurize: { templates: ${templates}${gazetteers} }
  - batch: { sentences: 4 }
  - contribute: { loss: log }
  - optimize: { sgd: { eta0: 0.2 } }
${when('evaluate', `  - evaluate: { on: { ndjson: { files: [${quoted('evaluate')}] } } }\n`)}\
${when('checkpoint', `  - checkpoint: { dir: ${quoted('checkpoint')}, sentences: 8 }\n`)}\
${isStream ? '  - tag: {}\n' : ''}\
train: { ${train}${when('start', `, start: ${quoted('start')}`)} }
test: { ndjson: { files: [${paths.has('test') ? quoted('test') : '"given.ndjson"'}] } }
checks: [{ tokens: [the], tags: [DET] }]
${when('model', `model: ${quoted('model')}\n`)}\
${when('sink', `sink: { file: ${quoted('sink')} }\n`)}\
${when('deadLetters', `deadLetters: { file: ${quoted('deadLetters')} }\n`)}`;
}

function studyText(paths: ReadonlyMap<string, string>): string {
  return `version: 1
name: paths
title: Paths
pipeline: ${JSON.stringify(paths.get('pipeline') ?? 'given.yaml')}
rows: [{ name: all, set: {} }]
measure: [accuracy]
`;
}

/** All files below a folder, by name, with a digest of what is in each. */
export function digestsOf(folder: string): Map<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return new Map(
    names
      .filter(name => name !== 'here' && !name.startsWith('here/'))
      .sort()
      .map(name => {
        const path = join(folder, name);
        if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return [name, ''];
        return [name, createHash('sha256').update(readFileSync(path)).digest('hex')];
      }),
  );
}
