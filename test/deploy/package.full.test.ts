import { execFile } from 'node:child_process';
import { cp, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { pageBlocks } from '../support/page-blocks';
import { PLAIN_ENV } from '../support/pictures';
import { killSet } from '../support/running-parts';
import { temporaryFolder } from '../support/temporary-folder';

const run = promisify(execFile);
const ROOT = join(__dirname, '..', '..');

interface PackageJson {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly optionalDependencies: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, string | { readonly types: string; readonly default: string }>>;
}

const FILM = `id: film
shots:
  - { id: a, model: beta-2.5, prompt: first light, duration: 4, resolution: 480p }
`;

describe('the package', () => {
  let folder: string;
  let slim: string;
  let names: readonly string[];
  let manifest: PackageJson;

  beforeAll(async () => {
    folder = await temporaryFolder();
    manifest = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as PackageJson;
    // The set-up has built it; packing would build it again while other tests use it.
    const packed = await run('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', folder], {
      cwd: ROOT,
    });
    const [{ filename, files }] = JSON.parse(packed.stdout) as [{ filename: string; files: { path: string }[] }];
    names = files.map(({ path }) => path);
    const modules = join(folder, 'node_modules');
    await mkdir(join(modules, 'dailies'), { recursive: true });
    await run('tar', ['-xzf', join(folder, filename), '-C', join(modules, 'dailies'), '--strip-components=1']);
    // Only the declared packages and those that compile the consumer, nothing else of the clone.
    const consumers = ['typescript', '@types/node', '@types/ms'];
    await link(modules, [...Object.keys(manifest.dependencies), ...Object.keys(manifest.optionalDependencies)]);
    await link(modules, consumers);
    // As `npm install --omit=optional` leaves it.
    slim = await temporaryFolder();
    await cp(join(modules, 'dailies'), join(slim, 'node_modules', 'dailies'), { recursive: true });
    await link(join(slim, 'node_modules'), Object.keys(manifest.dependencies));
  });

  async function link(modules: string, packages: readonly string[]): Promise<void> {
    for (const name of packages) {
      await mkdir(dirname(join(modules, name)), { recursive: true });
      await symlink(join(ROOT, 'node_modules', name), join(modules, name));
    }
  }

  it('has its exports, the workflow bundle and the command, and no tests, drill or secrets', () => {
    const exported = Object.values(manifest.exports).flatMap((one) =>
      typeof one === 'string' ? [one] : Object.values(one),
    );
    const plain = exported.filter((path) => !path.includes('*')).map((path) => path.replace('./', ''));
    expect(plain.filter((path) => !names.includes(path))).toEqual([]);
    for (const path of ['dist/workflow-bundle.js', 'dist/scripts/dailies.js', 'README.md', 'LICENSE']) {
      expect(names).toContain(path);
    }
    const unwanted = /^(test|node_modules|out|\.dailies|\.env|dist\/(\.setup|drill|bench|examples|fuzz|test))|\.map$/;
    expect(names.filter((path) => unwanted.test(path))).toEqual([]);
  });

  it('has every page and example that its README and its pages name', async () => {
    const pages = names.filter((name) => name.endsWith('.md'));
    const missing: string[] = [];
    for (const page of pages) {
      const text = await readFile(join(folder, 'node_modules', 'dailies', page), 'utf8');
      for (const [, link = ''] of text.matchAll(/\]\((?!https?:)([^)#]+)/g)) {
        // Sources are in the clone; the package has the compiled files.
        if (link.endsWith('.ts')) continue;
        const path = join(dirname(page), link);
        if (!names.some((name) => name === path || name.startsWith(`${path}/`))) missing.push(`${page}: ${link}`);
      }
    }
    expect(missing).toEqual([]);
    for (const path of ['docs/programs.md', 'productions/catalogue/products.csv', 'productions/lighthouse/dawn.jpg']) {
      expect(names).toContain(path);
    }
  });

  it('loads every export if nothing else is installed', async () => {
    const paths = Object.keys(manifest.exports).filter((path) => !path.startsWith('./workflows'));
    const script = paths.map((path) => `require(${JSON.stringify(path.replace('.', 'dailies'))})`).join(';');
    await run(process.execPath, ['-e', script], { cwd: folder });
  });

  it('gives programs a small client, and nothing of the command', async () => {
    const { stdout } = await run(process.execPath, ['-p', "Object.keys(require('dailies')).sort().join(' ')"], {
      cwd: folder,
    });
    expect(stdout.trim().split(' ')).toEqual([
      ...['DATA_CONVERTER', 'DecisionsStopped', 'InvalidBatch', 'InvalidInput', 'Refused', 'TemporalUnreachable'],
      ...['connectDailies', 'connectTemporal', 'dailiesOver'],
    ]);
  });

  it('has types with which the programs of docs/programs.md compile, and runs each', async () => {
    const [program = '', ...others] = pageBlocks('docs/programs.md', 'ts');
    expect([program, ...others]).toHaveLength(1 + PRINTED_BY_OTHERS.length);
    await writeFile(join(folder, 'program.ts'), `${program}${ALL_TYPES}${allExports(manifest)}`);
    for (const [index, other] of others.entries()) await writeFile(join(folder, `other-${index}.ts`), other);
    await writeFile(join(folder, 'film.yaml'), FILM);
    await writeFile(join(folder, 'rows.yaml'), ROWS);
    const options = { module: 'node16', moduleResolution: 'node16', target: 'es2022', lib: ['es2023'], strict: true };
    const compilerOptions = { ...options, types: ['node'] };
    const files = ['program.ts', ...others.map((_, index) => `other-${index}.ts`)];
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
    await writeFile(join(folder, 'package.json'), JSON.stringify({ name: 'consumer', private: true }));
    const tsc = join(folder, 'node_modules', 'typescript', 'bin', 'tsc');
    // Every declaration is checked, those of other packages too.
    const compiled = await run(process.execPath, [tsc, '-p', folder], { cwd: folder }).catch((error: unknown) => error);
    expect(compiled).toMatchObject({ stdout: '' });

    const env = ownSet();
    try {
      const { stdout } = await run(process.execPath, ['program.js'], { cwd: folder, env });
      expect(stdout).toMatch(
        /^1 tasks to pay for\nfilm: completed, \d+ credits\nposter: completed\n2 rows completed\nnorth: \/.+\nsouth: \/.+\n0 wait/,
      );
      expect((await readFile(join(folder, 'out', 'film', 'film.mp4'))).length).toBeGreaterThan(1_000);
      const again = await run(process.execPath, ['program.js'], { cwd: folder, env });
      expect(again.stdout).toMatch(/^0 tasks to pay for\nfilm: completed/);
      const command = join(folder, 'node_modules', 'dailies', 'dist', 'scripts', 'dailies.js');
      const listed = await run(process.execPath, [command, 'takes', 'film', '--json'], { cwd: folder, env });
      expect(JSON.parse(listed.stdout)).toHaveLength(1);
      for (const [index, printed] of PRINTED_BY_OTHERS.entries()) {
        const other = await run(process.execPath, [`other-${index}.js`], { cwd: folder, env });
        expect(other.stdout).toMatch(printed);
      }
    } finally {
      killSet(folder);
    }
  });

  it('serves a program without its optional packages, and says what a worker lacks', async () => {
    await writeFile(join(slim, 'program.js'), WITHOUT_WORKERS);
    const store = join(slim, 'store');
    const env = { ...ownSet(), DAILIES_STORE: store, TEMPORAL_ADDRESS: '127.0.0.1:9', FFMPEG_PATH: '' };
    const { stdout } = await run(process.execPath, ['program.js'], { cwd: slim, env });
    const said = JSON.parse(stdout) as Record<string, string>;
    expect(said['connectDailies']).toMatch(/^TemporalUnreachable: /);
    expect(said['startWorker']).toMatch(/^WorkerPackageMissing: .*npm install --include=optional/);
    const noServer = { ...env, TEMPORAL_ADDRESS: '' };
    const alone = await run(process.execPath, ['program.js', 'set'], { cwd: slim, env: noServer });
    expect(JSON.parse(alone.stdout)).toEqual({ openDailies: said['startWorker'] });
  });

  it('weighs less than 100 MB without its optional packages', async () => {
    const { packages } = JSON.parse(await readFile(join(ROOT, 'package-lock.json'), 'utf8')) as {
      packages: Record<string, { dev?: true; optional?: true; devOptional?: true }>;
    };
    const needed = Object.entries(packages).filter(
      ([path, { dev, optional, devOptional }]) => path !== '' && !(dev ?? optional ?? devOptional),
    );
    let bytes = await weight(join(folder, 'node_modules', 'dailies'));
    for (const [path] of needed) bytes += await weight(join(ROOT, path));
    expect(needed.length).toBeGreaterThan(20);
    expect(bytes / 1e6).toBeLessThan(100);
  });

  it('lets a program end silently while a film waits for people', async () => {
    await writeFile(join(folder, 'reviewed.yaml'), REVIEWED);
    await writeFile(join(folder, 'reviewed.js'), REVIEWING);
    try {
      const { stdout, stderr } = await run(process.execPath, ['reviewed.js'], { cwd: folder, env: ownSet() });
      expect(stdout).toMatch(/^running: dailies approve reviewed a .+\n$/);
      expect(stderr).toBe('');
    } finally {
      killSet(folder);
    }
  });

  /** The environment of a program that has no server and no gateway. */
  function ownSet(): NodeJS.ProcessEnv {
    const others = Object.entries(process.env).filter(([name]) => !/^(DAILIES_GATEWAY|TEMPORAL)_/.test(name));
    return { ...Object.fromEntries(others), DAILIES_STORE: join(folder, 'store'), ...PLAIN_ENV };
  }
});

/** What each further program of docs/programs.md prints, in the order of the page. */
const PRINTED_BY_OTHERS = [/^3 cups completed\n$/, /^next: \d{4}-\d\d-\d\dT02:00:00/];

/** Bytes of its files, without nested packages. */
async function weight(folder: string): Promise<number> {
  let bytes = 0;
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isFile()) bytes += (await stat(path)).size;
    else if (entry.isDirectory() && entry.name !== 'node_modules') bytes += await weight(path);
  }
  return bytes;
}

const WITHOUT_WORKERS = `
const { connectDailies } = require('dailies');
const { openDailies, startWorker } = require('dailies/workers');
const said = (work) => work().then(() => 'nothing', (error) => error.name + ': ' + error.message);
const config = { account: 'a', storeFolder: process.env.DAILIES_STORE, fileValues: 'auto', dataUriMaxBytes: 1000 };
async function main() {
  if (process.argv[2] === 'set') return { openDailies: await said(() => openDailies()) };
  return {
    connectDailies: await said(() => connectDailies({ ...config, address: process.env.TEMPORAL_ADDRESS })),
    startWorker: await said(() => startWorker({})),
  };
}
main().then((all) => console.log(JSON.stringify(all)));
`;

const REVIEWED = `id: reviewed
shots:
  - { id: a, model: beta-2.5, prompt: first light, duration: 4, resolution: 480p, review: true }
`;

const REVIEWING = `
const { openDailies } = require('dailies/workers');
async function main() {
  const dailies = await openDailies();
  try {
    const { state, shots } = await dailies.renderProduction('reviewed.yaml');
    console.log(state + ': ' + shots[0].review.command);
  } finally {
    await dailies.close();
  }
}
main();
`;

const ROWS = `
models: { quill-text-1: { output: text } }
generations:
  - { key: north, model: quill-text-1, prompt: a sign }
  - { key: south, model: quill-text-1, prompt: another }
`;

/** Were a type lost on the way, it would be `any`, and these would not be errors. */
const ALL_TYPES = `
import type { BatchObject, Dailies, Generated, Rendered } from 'dailies';
export function isTyped(dailies: Dailies, rendered: Rendered, generated: Generated): void {
  // @ts-expect-error a task has a model
  void dailies.generate({ prompt: 'x' });
  // @ts-expect-error the state is no number
  const state: number = rendered.state;
  // @ts-expect-error nothing of that name
  void generated.nothing;
  // @ts-expect-error a decision has a kind
  void dailies.resolve('film', 'a', {});
  void state;
  // @ts-expect-error a batch has no film
  void dailies.batchStatus('rows').then(({ film }) => film);
  // @ts-expect-error limits are numbers
  void dailies.limits({ inFlight: 'many' });
  // @ts-expect-error a row is an object
  void dailies.batch({ generations: ['a'] });
  // @ts-expect-error a template has rows
  void dailies.batch({ generation: { key: '{{sku}}' } });
  // @ts-expect-error a batch has one kind of content
  void dailies.batch({ generations: [], productions: [] });
  // @ts-expect-error nothing of that name
  void dailies.schedules.create('nightly', { generations: [], paralel: 2 }, { every: '1d' });
}
interface Row { key: string; prompt: string }
export function takesRows(dailies: Dailies, rows: readonly Row[], later: AsyncIterable<Row>, batch: BatchObject): void {
  void dailies.batch({ id: 'x', defaults: { model: 'beta-video' }, generations: rows });
  void dailies.batch({ id: 'x', generation: { key: '{{key}}' }, rows: later });
  void dailies.schedules.create('nightly', batch, { every: '1d', baseDir: 'sheets' });
  void dailies.schedules.update('nightly', { file: { shots: rows.map((row) => ({ id: row.key })) } });
}
`;

/** Names every export, so that its types are compiled: those of the package itself, and of what they stand on. */
function allExports({ exports }: PackageJson): string {
  const paths = Object.keys(exports).filter((path) => path !== './package.json');
  return paths
    .map((path) => path.replace('.', 'dailies'))
    .map((path, index) => `export type Export${index} = typeof import('${path}');\n`)
    .join('');
}
