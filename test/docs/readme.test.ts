import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { VARIABLES } from '../../workers/environment';
import { dailies } from '../scripts/command';

const ROOT = join(__dirname, '..', '..');

describe('README.md', () => {
  let page: string;

  beforeAll(async () => {
    page = await readFile(join(ROOT, 'README.md'), 'utf8');
  });

  it('has every variable in its table, and no other', () => {
    const rows = [...page.matchAll(/^\| `([A-Z_]+)`\s*\|/gm)].map(([, name]) => name);
    expect(rows.sort()).toEqual([...VARIABLES].sort());
  });

  it('names every command of the program, and no other', async () => {
    const { stdout } = await dailies(['--help'], { folder: ROOT });
    const [, list = ''] = /Commands:\n([\s\S]*?)\n\n/.exec(stdout) ?? [];
    const commands = [...list.matchAll(/^ {2}(\w+) /gm)].map(([, name]) => name).filter((name) => name !== 'help');
    const [, section = ''] = /## Commands\n([\s\S]*?)\n## /.exec(page) ?? [];
    const named = [...section.matchAll(/^\| `(\w+)[^`]*`\s*\|/gm)].map(([, name]) => name);
    expect(commands.length).toBeGreaterThan(10);
    expect(named.sort()).toEqual(commands.sort());
  });

  it('shows the smallest production as it is', async () => {
    const file = await readFile(join(ROOT, 'productions', 'first-light.yaml'), 'utf8');
    expect(page).toContain(`\`\`\`yaml\n${file}\`\`\``);
  });

  it('names only npm scripts that there are', async () => {
    const { scripts } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as { scripts: object };
    const named = [...page.matchAll(/npm (?:run )?([a-z:-]+)/g)].map(([, name]) => name ?? '');
    const own = named.filter((name) => !['install', 'ci', 'dependencies', 'registry'].includes(name));
    expect(own.filter((name) => !(name in scripts))).toEqual([]);
  });
});
