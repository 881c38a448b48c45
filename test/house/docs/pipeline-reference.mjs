// The page of everything that a pipeline file can name, from the catalogue that reads pipeline files.
import * as z from 'zod';
import { Anchors } from './anchors.mjs';

const kinds = [
  [
    'Sources',
    'sources',
    'Where records come from, and what labelled data is tested on. A source reads `files`, or with `from` the messages of a transport, which a plug-in brings: `use: [./queue.mjs]` and `source: { ndjson: { from: { queue: { name: jobs } } } }`. A sink sends its records in the same way: `sink: { to: { queue: { name: done } } }`. See [transports](../src/runtime/plugins/README.md#a-transport).',
  ],
  ['Stages', 'stages', 'What happens to records, in order.'],
  ['Losses', 'losses', 'For `contribute`.'],
  ['Optimizers', 'optimizers', 'For `optimize`: a step for each sentence.'],
  ['Batch optimizers', 'trainers', 'For `optimize`: iterations over the whole corpus.'],
];

/** @returns {Promise<string>} the page as Markdown */
export async function pipelineReference(dist) {
  const parts = [
    '# Pipeline files, every option',
    'Made by `npm run docs` from the code that reads pipeline files. [`README.md`](../README.md) explains how they are used.',
    '## The file',
    ...optionsOf(
      schemaOf(
        (await import(`${dist}/runtime/pipeline/loading/pipeline-schema.js`)).pipelineSchema,
      ),
      ['source', 'stages', 'test'],
    ),
  ];
  const { builtIn } = await import(`${dist}/runtime/pipeline/loading/catalogue.js`);
  const anchors = new Anchors();
  for (const heading of ['Pipeline files, every option', 'The file']) anchors.of(heading);
  const chapters = kinds.map(([title, kind, about]) => {
    anchors.of(title);
    const found = Object.values(builtIn[kind].items ?? builtIn[kind]).map(component => ({
      ...component,
      groups: groupsOf(component),
    }));
    const shared = sharedGroups(found.map(({ groups }) => groups));
    const heading = `Shared options of ${title.toLowerCase()}`;
    const place = shared.size === 0 ? '' : anchors.of(heading);
    const components = found.map(each => ({ ...each, anchor: anchors.of(each.name) }));
    return { title, kind, about, shared, heading, place, components };
  });
  const optimizers = chapters
    .filter(({ kind }) => kind === 'optimizers' || kind === 'trainers')
    .flatMap(({ components }) => components);
  for (const { title, about, shared, heading, place, components } of chapters) {
    parts.push(`## ${title}`, about);
    if (shared.size > 0) parts.push(`### ${heading}`, tableOf([...shared]));
    for (const each of components) parts.push(...componentPart(each, shared, place, optimizers));
  }
  return `${parts.join('\n\n')}\n`;
}

function componentPart(
  { name, summary, example, options, takes, gives, groups },
  shared,
  place,
  optimizers,
) {
  const flow = takes === undefined ? [] : [`Takes: ${takes.join(' or ')}. Gives: ${gives}.`];
  const own = groups.filter(group => !shared.has(group));
  const others = groups.filter(group => shared.has(group)).map(nameOf);
  const choice = options !== undefined && isChoice(schemaOf(options));
  return [
    `### ${name}`,
    sentence(summary),
    ...flow,
    `\`\`\`yaml\n${example}\n\`\`\``,
    ...(choice
      ? [`One of ${linksTo(Object.keys(schemaOf(options).properties), optimizers)}.`]
      : []),
    ...(own.length === 0 || choice ? [] : [tableOf(own)]),
    ...(others.length === 0 ? [] : [`With the [shared options](#${place}) ${others.join(', ')}.`]),
  ];
}

/** Options of a component: each its rows of a table, with those of the nested ones, as one text. */
function groupsOf({ options }) {
  const { properties = {}, required } = options === undefined ? {} : schemaOf(options);
  return Object.entries(properties).map(([name, option]) =>
    rowsOf({ properties: { [name]: option }, required }, '', []).join('\n'),
  );
}

/** The options that a third of the components of a chapter have in common, and at least four: these are printed once. */
function sharedGroups(all) {
  const times = new Map();
  for (const group of all.flat()) times.set(group, (times.get(group) ?? 0) + 1);
  const least = Math.max(4, all.length / 3);
  return new Set([...times].filter(([, count]) => count >= least).map(([group]) => group));
}

/** The name of an option, as its first row has it. */
function nameOf(group) {
  return /`[^`]*`/.exec(group)[0];
}

function linksTo(names, components) {
  return names
    .map(name => `[\`${name}\`](#${components.find(each => each.name === name).anchor})`)
    .join(', ');
}

function sentence(text) {
  return `${text[0].toUpperCase()}${text.slice(1)}.`;
}

function schemaOf(options) {
  return z.toJSONSchema(options, { io: 'input', unrepresentable: 'any' });
}

/** A table of options; those of the nested ones follow their own, as `sink.file`. */
function optionsOf(schema, brief = []) {
  const rows = rowsOf(schema, '', brief);
  if (rows.length === 0) return [];
  return [tableOf(rows)];
}

function tableOf(rows) {
  return ['| option | value | default | |', '|---|---|---|---|', ...rows].join('\n');
}

function rowsOf(schema, prefix, brief) {
  return Object.entries(schema.properties ?? {}).flatMap(([name, option]) => {
    const path = `${prefix}${name}`;
    const missing = (schema.required ?? []).includes(name) ? 'required' : '';
    const fallback = option.default === undefined ? missing : code(option.default);
    const row = `| \`${path}\` | ${typeOf(option)} | ${fallback} | ${cell(option.description ?? '')} |`;
    if (brief.includes(name)) return [row];
    const list = option.type === 'array' ? '[]' : '';
    const nested = objectsIn(option).flatMap(each => rowsOf(each, `${path}${list}.`, []));
    return [row, ...new Set(nested)];
  });
}

/** The objects that an option may be, or a list of; not the choice of one component, which has a section of its own. */
function objectsIn(option) {
  if (option.properties !== undefined) return isChoice(option) ? [] : [option];
  if (option.items !== undefined) return objectsIn(option.items);
  return (option.anyOf ?? option.oneOf ?? []).filter(each => !soleKey(each)).flatMap(objectsIn);
}

/** Whether the only key of an object names one of several components. */
function isChoice({ minProperties, maxProperties }) {
  return minProperties === 1 && maxProperties === 1;
}

function typeOf(option) {
  if (option.const !== undefined) return code(option.const);
  if (option.enum !== undefined) return option.enum.map(code).join(', ');
  const variants = option.anyOf ?? option.oneOf;
  if (variants !== undefined) {
    // A component may stand by its name alone, or with options.
    const named = variants.some(variant => variant.enum !== undefined);
    const shown = variants.filter(variant => !(named && isChoice(variant)));
    const names = shown.map(variant => soleKey(variant) ?? typeOf(variant));
    return [...new Set(names)].join(', ');
  }
  if (option.type === 'array') return `list of ${typeOf(option.items ?? {})}`;
  if (option.type === 'integer' || option.type === 'number') return rangeOf(option);
  if (option.type === 'boolean') return 'true, false';
  if (option.type === 'string') return 'text';
  if (option.properties === undefined) return 'map';
  return isChoice(option)
    ? `one of ${Object.keys(option.properties).map(code).join(', ')}`
    : 'options';
}

/** The one name under which a variant stands in a file, as `ndjson: {...}`. */
function soleKey(variant) {
  const names = Object.keys(variant.properties ?? {});
  return names.length === 1 ? code(names[0]) : undefined;
}

function rangeOf({ type, minimum, maximum, exclusiveMinimum }) {
  const word = type === 'integer' ? 'whole number' : 'number';
  const low =
    exclusiveMinimum === undefined ? bound('from', minimum) : ` above ${exclusiveMinimum}`;
  return `${word}${low}${bound('to', maximum)}`;
}

function bound(word, value) {
  return value === undefined || Math.abs(value) === Number.MAX_SAFE_INTEGER
    ? ''
    : ` ${word} ${value}`;
}

function code(value) {
  return `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``;
}

function cell(text) {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ');
}
