import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';

const PROJECT = join(__dirname, '..', '..');

/** Replaces the compiler: records that it ran, then "compiles" the command and the module that the set-up uses. */
const COMPILER = `
const fs = require('node:fs');
if (process.argv.includes('studio/browser')) { fs.mkdirSync('dist/studio/browser', { recursive: true }); process.exit(0); }
fs.appendFileSync('journal', 'compile\\n');
const source = fs.readFileSync('workers/source.ts', 'utf8');
if (source.includes('error')) { console.log('workers/source.ts(1,1): error TS1: wrong'); process.exit(2); }
for (const folder of ['workers', 'scripts']) fs.mkdirSync('dist/' + folder, { recursive: true });
fs.writeFileSync('dist/scripts/dailies.js', '');
fs.copyFileSync('temporal-cli.js', 'dist/workers/temporal-cli.js');
fs.writeFileSync('dist/workers/build-bundle.js', "require('node:fs').appendFileSync('journal', 'bundle\\\\n')");
`;

/** Replaces Go: takes a while, then leaves a program in GOBIN. */
const GO = `#!/usr/bin/env node
const fs = require('node:fs');
if (process.argv[2] === 'version') process.exit(0);
fs.appendFileSync(process.env.JOURNAL, process.argv.slice(2).join(' ') + '\\n');
fs.writeFileSync(process.env.GOBIN + '/temporal', 'half');
const whole = () => fs.writeFileSync(process.env.GOBIN + '/temporal', '#!/bin/sh\\n', { mode: 0o755 });
setTimeout(whole, Number(process.env.GO_MS ?? 300));
fs.chmodSync(process.env.GOBIN + '/temporal', 0o755);
`;

export interface SetupRun {
  readonly code: number | null;
  readonly output: string;
}

/**
 * A small clone with the real set-up and the real npm, where compiler and Go are stand-ins, and a machine that has
 * nothing but Node on PATH.
 */
export function cloneRig() {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'dailies-setup-')));
  const root = join(folder, 'clone');
  const bin = join(folder, 'bin');
  const write = (path: string, contents: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), contents);
  };
  const writeProgram = (path: string, contents: string) => {
    write(path, contents);
    chmodSync(join(folder, path), 0o755);
  };
  const npm = npmProgram();
  const env: Record<string, string> = {
    PATH: bin,
    HOME: folder,
    DAILIES_CACHE: join(folder, 'cache'),
    JOURNAL: join(root, 'journal'),
    npm_execpath: npm,
    // Nothing is fetched from a registry.
    npm_config_registry: 'http://127.0.0.1:9',
    npm_config_fetch_retries: '0',
  };
  const lock = (): void => {
    execFileSync(process.execPath, [npm, 'install', '--package-lock-only', '--no-audit', '--no-fund'], {
      cwd: root,
      env,
      stdio: 'pipe',
    });
  };

  mkdirSync(bin);
  symlinkSync(process.execPath, join(bin, 'node'));
  writeProgram('bin/go', GO);
  writeProgram('bin/ffmpeg', '#!/bin/sh\n');
  cpSync(join(PROJECT, 'scripts', 'setup'), join(root, 'scripts', 'setup'), { recursive: true });
  cpSync(join(PROJECT, 'dist', 'workers', 'temporal-cli.js'), join(root, 'temporal-cli.js'));
  write('clone/packages/typescript/package.json', '{ "name": "typescript", "version": "1.0.0" }');
  write('clone/packages/typescript/bin/tsc', COMPILER);
  write('clone/package.json', '{ "name": "clone", "dependencies": { "typescript": "file:packages/typescript" } }');
  write('clone/tsconfig.json', '{ "include": ["workers", "test"] }');
  write('clone/tsconfig.build.json', '{}');
  write('clone/workers/source.ts', '');
  write('clone/studio/browser/page.css', '');
  lock();

  return {
    root,
    env,
    write,
    lock,
    remove: (path: string) => {
      rmSync(join(folder, path), { recursive: true, force: true });
    },
    has: (path: string) => existsSync(join(folder, path)),
    read: (path: string) => readFileSync(join(folder, path), 'utf8'),
    /** The steps done so far, in order. */
    journal: () =>
      existsSync(env['JOURNAL']!) ? readFileSync(env['JOURNAL']!, 'utf8').split('\n').filter(Boolean) : [],
    start: (more: Record<string, string> = {}): ChildProcess =>
      spawn(process.execPath, [join(root, 'scripts', 'setup', 'setup.cjs')], {
        cwd: root,
        env: { ...env, ...more },
        stdio: ['ignore', 'pipe', 'pipe'],
      }),
    dispose: () => {
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export async function finish(setup: ChildProcess): Promise<SetupRun> {
  let output = '';
  for (const stream of [setup.stdout, setup.stderr]) stream?.on('data', (chunk) => (output += String(chunk)));
  return new Promise((resolve) => {
    setup.once('close', (code) => {
      resolve({ code, output });
    });
  });
}

export function npmProgram(): string {
  const running = process.env['npm_execpath'];
  if (running?.endsWith('npm-cli.js') === true) return running;
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const npm = folders.map((folder) => join(folder, 'npm')).find((path) => existsSync(path));
  if (npm === undefined) throw new Error('There is no npm on PATH.');
  return realpathSync(npm);
}
