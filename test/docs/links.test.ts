import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const ROOT = join(__dirname, '..', '..');

const PAGES = ['.', 'docs', 'docs/decisions'].flatMap((folder) =>
  readdirSync(join(ROOT, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name)),
);

describe('the documentation', () => {
  it.each(PAGES)('%s links only to pages and headings that exist', (page) => {
    const links = [...textOf(page).matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)]*))?\)/g)];
    const broken = links.flatMap(([, path = '', heading]) => {
      const target = path === '' ? page : join(dirname(page), path);
      if (!existsSync(join(ROOT, target))) return [target];
      return heading === undefined || anchorsOf(target).includes(heading) ? [] : [`${target}#${heading}`];
    });
    expect(broken).toEqual([]);
  });

  it('has every page of docs in its index', () => {
    const index = textOf('docs/README.md');
    const pages = PAGES.filter((page) => /^docs\/[a-z-]+\.md$/.test(page)).map((page) => page.replace('docs/', ''));
    expect(pages.filter((page) => !index.includes(`](${page})`))).toEqual([]);
  });
});

function textOf(page: string): string {
  return readFileSync(join(ROOT, page), 'utf8');
}

/** As GitHub makes them: lower case, without punctuation, dashes for spaces. */
function anchorsOf(page: string): readonly string[] {
  return [...textOf(page).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  );
}
