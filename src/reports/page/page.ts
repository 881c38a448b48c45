import { createHash } from 'node:crypto';
import { escapeHtml } from './html.js';

/** The parts of a page in addition to its content. */
export interface PageParts {
  readonly title: string;
  /** CSS. */
  readonly style: string;
  /** JavaScript, run after the content; anything that would end its element is escaped. */
  readonly script?: string | undefined;
  /** Scripts that the script adds to the page. */
  readonly addedScripts?: readonly string[] | undefined;
  /** Whether scripts may compile WebAssembly. Default false. */
  readonly runsWebAssembly?: boolean | undefined;
  /** Whether the script may send requests to the page's server. Default false. */
  readonly connects?: boolean | undefined;
}

/** The text of a page before and after its content. */
export interface PageFrame {
  readonly head: string;
  readonly tail: string;
}

/**
 * Returns the frame of a self-contained page whose policy forbids all requests: only its own style and
 * script, identified by their hashes, take effect, whatever the content is.
 *
 * @example
 * pageFrame({ title: 'A & B', style: '' }).head.includes('<title>A &amp; B</title>') // => true
 */
export function pageFrame(parts: PageParts): PageFrame {
  const { title, style, addedScripts = [], runsWebAssembly, connects } = parts;
  const script = parts.script?.replaceAll('</script', '<\\/script');
  const scripts = [
    ...[script ?? [], addedScripts].flat().map(each => `'${hashOf(each)}'`),
    ...(runsWebAssembly === true ? ["'wasm-unsafe-eval'"] : []),
  ];
  const policy = [
    "default-src 'none'",
    `style-src '${hashOf(style)}'`,
    ...(scripts.length === 0 ? [] : [`script-src ${scripts.join(' ')}`]),
    ...(connects === true ? ["connect-src 'self'"] : []),
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  const head = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body>
`;
  return {
    head,
    tail: `${script === undefined ? '' : `<script>${script}</script>\n`}</body>\n</html>\n`,
  };
}

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}
