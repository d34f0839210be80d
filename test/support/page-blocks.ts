import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(__dirname, '..', '..');

/** The fenced blocks of a page in a language, in order, as they stand. */
export function pageBlocks(page: string, language: string): readonly string[] {
  return blocksIn(readFileSync(join(ROOT, page), 'utf8'), language);
}

/** The only block of a page in a language. */
export function onlyBlock(page: string, language: string): string {
  const [block, ...others] = pageBlocks(page, language);
  if (block === undefined || others.length > 0) throw new Error(`${page} has not one block of ${language}`);
  return block;
}

/** The commands of a page, or of what is under one of its second-level headings, line by line, from all `sh` blocks. */
export function pageCommands(page: string, heading?: string): readonly string[] {
  const text = readFileSync(join(ROOT, page), 'utf8');
  const part = heading === undefined ? text : text.split(/^## /m).find((one) => one.startsWith(`${heading}\n`));
  if (part === undefined) throw new Error(`${page} has no heading "${heading}"`);
  return blocksIn(part, 'sh').flatMap((block) => block.split('\n').filter((line) => line !== ''));
}

/** The rows of a page's first table, without its head. */
export function tableRows(page: string): readonly [string, string, string][] {
  const [table = ''] = /^\|(?:.*\n\|)*.*$/m.exec(readFileSync(join(ROOT, page), 'utf8')) ?? [];
  const rows = table.split('\n').map((row) => row.split('|').map((cell) => cell.trim()));
  return rows.slice(2).map(([, first = '', second = '', third = '']) => [first, second, third]);
}

function blocksIn(text: string, language: string): readonly string[] {
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(
    ([, block = '']) => block,
  );
}
