import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { onlyBlock } from '../support/page-blocks';

const ROOT = join(__dirname, '..', '..');

describe('README.md', () => {
  let page: string;

  beforeAll(async () => {
    page = await readFile(join(ROOT, 'README.md'), 'utf8');
  });

  it('shows the smallest production as it is', async () => {
    const file = await readFile(join(ROOT, 'productions', 'first-light.yaml'), 'utf8');
    expect(onlyBlock('README.md', 'yaml')).toBe(file);
  });

  it('is short, and fits a terminal outside of prose and the sample', () => {
    expect(page.split('\n').length).toBeLessThanOrEqual(150);
    const blocks = page.split(/^```/m).filter((block, index) => index % 2 === 1 && !block.startsWith('yaml'));
    const wide = blocks.flatMap((block) => block.split('\n')).filter((line) => line.length > 80);
    expect(blocks.length).toBeGreaterThan(4);
    expect(wide).toEqual([]);
  });

  it('names only npm scripts that there are', async () => {
    const { scripts } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as { scripts: object };
    const development = await readFile(join(ROOT, 'docs', 'development.md'), 'utf8');
    const named = [...`${page}${development}`.matchAll(/npm (?:run )?([a-z:-]+)/g)].map(([, name]) => name ?? '');
    const own = named.filter((name) => !['install', 'ci', 'dependencies', 'registry'].includes(name));
    expect(own.filter((name) => !(name in scripts))).toEqual([]);
  });
});
