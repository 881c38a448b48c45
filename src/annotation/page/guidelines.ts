import { Lexer, type Token, type Tokens } from 'marked';
import { element } from './dom.js';

/**
 * Renders Markdown as elements: headings, paragraphs, lists, quotes, code, bold, italics and web links. Everything else is
 * text as written, including HTML.
 */
export function markdownContent(source: string): readonly (Node | string)[] {
  return new Lexer({ gfm: true }).lex(source).flatMap(blockOf);
}

function blockOf(token: Token): readonly (Node | string)[] {
  switch (token.type) {
    case 'space':
      return [];
    case 'heading': {
      // The levels above are used by the page itself.
      const name = (token as Tokens.Heading).depth === 1 ? 'h3' : 'h4';
      return [element(name, {}, ...inlinesOf(token))];
    }
    case 'paragraph':
      return [element('p', {}, ...inlinesOf(token))];
    case 'list': {
      const { ordered, start, items } = token as Tokens.List;
      const children = items.map(item =>
        element(
          'li',
          {},
          ...(item.task ? [item.checked === true ? '☑ ' : '☐ '] : []),
          ...item.tokens.flatMap(blockOf),
        ),
      );
      if (!ordered) return [element('ul', {}, ...children)];
      return [element('ol', { attributes: { start: String(start) } }, ...children)];
    }
    case 'blockquote':
      return [element('blockquote', {}, ...(token as Tokens.Blockquote).tokens.flatMap(blockOf))];
    case 'code':
      return [element('pre', {}, element('code', {}, (token as Tokens.Code).text))];
    case 'hr':
      return [element('hr')];
    case 'text':
      return inlinesOf(token);
    default:
      return [element('p', {}, token.raw)];
  }
}

function inlinesOf(token: Token): readonly (Node | string)[] {
  const { tokens } = token as { readonly tokens?: Token[] };
  return tokens === undefined ? [textOf(token)] : tokens.flatMap(inlineOf);
}

function inlineOf(token: Token): readonly (Node | string)[] {
  switch (token.type) {
    case 'strong':
      return [element('strong', {}, ...inlinesOf(token))];
    case 'em':
      return [element('em', {}, ...inlinesOf(token))];
    case 'codespan':
      return [element('code', {}, textOf(token))];
    case 'br':
      return [element('br')];
    case 'text':
      return inlinesOf(token);
    case 'escape':
      return [textOf(token)];
    case 'link': {
      const { href } = token as Tokens.Link;
      if (!/^(https?:\/\/|mailto:)/i.test(href)) return [token.raw];
      const attributes = { href, target: '_blank', rel: 'noopener noreferrer' };
      return [element('a', { attributes }, ...inlinesOf(token))];
    }
    default:
      return [token.raw];
  }
}

function textOf(token: Token): string {
  return (token as { readonly text?: string }).text ?? token.raw;
}
