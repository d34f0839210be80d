import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { REFERENCE_PAGES, withReference } from '../../scripts/reference/pages';
import { VARIABLES } from '../../workers/config/environment';
import { dailies } from '../scripts/command';

const DOCS = join(__dirname, '..', '..', 'docs');

describe('the reference', () => {
  it.each([...REFERENCE_PAGES])('in docs/%s is what the code says (npm run reference)', async (name, reference) => {
    const page = await readFile(join(DOCS, name), 'utf8');
    expect(page).toBe(withReference(page, reference()));
  });

  it('has every verb that --help names, with its flags', async () => {
    const page = await readFile(join(DOCS, 'commands.md'), 'utf8');
    const { stdout } = await dailies(['--help'], { folder: DOCS });
    const verbs = [...stdout.matchAll(/^ {2}([a-z-]+) /gm)].map(([, verb]) => verb ?? '');
    expect(verbs.length).toBeGreaterThan(30);
    const missing = verbs.filter((verb) => verb !== 'help' && !new RegExp(`^### ${verb}\\b`, 'm').test(page));
    expect(missing).toEqual([]);
    expect(page).toMatch(/^### batch retry-failed ID\n\n[^\n]+\n\n(- .*\n)*- `--missing`: /m);
    expect(page).toMatch(/^- `130`: interrupted/m);
  });

  it('has every variable that is read', async () => {
    const page = await readFile(join(DOCS, 'variables.md'), 'utf8');
    const named = [...page.matchAll(/^### (\w+)$/gm)].map(([, name]) => name);
    expect(named).toEqual(VARIABLES);
  });
});
