// The page of everything that a pipeline file can name, from the catalogue that reads pipeline files.
import * as z from 'zod';

const kinds = [
  [
    'Sources',
    'sources',
    'Where records come from, and what labelled data is tested on. A source reads `files`, or with `from` the messages of a transport, which a plug-in brings: `use: [./queue.mjs]` and `source: { ndjson: { from: { queue: { name: jobs } } } }`. A sink sends its records in the same way: `sink: { to: { queue: { name: done } } }`. See [transports](../src/plugins/README.md#a-transport).',
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
      schemaOf((await import(`${dist}/pipeline/loading/pipeline-schema.js`)).pipelineSchema),
      ['source', 'stages', 'test'],
    ),
  ];
  const { builtIn } = await import(`${dist}/pipeline/loading/catalogue.js`);
  for (const [title, kind, about] of kinds) {
    const components = builtIn[kind].items ?? builtIn[kind];
    parts.push(`## ${title}`, about, ...components.flatMap(componentPart));
  }
  return `${parts.join('\n\n')}\n`;
}

function componentPart({ name, summary, example, options, takes, gives }) {
  const flow = takes === undefined ? [] : [`Takes: ${takes.join(' or ')}. Gives: ${gives}.`];
  return [
    `### ${name}`,
    sentence(summary),
    ...flow,
    `\`\`\`yaml\n${example}\n\`\`\``,
    ...(options === undefined ? [] : optionsOf(schemaOf(options))),
  ];
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
  return [['| option | value | default | |', '|---|---|---|---|', ...rows].join('\n')];
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
