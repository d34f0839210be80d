import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { readConfig } from '../../workers/config/config';
import { planSet } from '../../workers/embedded/set-plan';
import { temporaryFolder } from '../support/temporary-folder';

const ROOT = join(__dirname, '..', '..');
const DAILIES = join(ROOT, 'dist', 'scripts', 'dailies.js');

interface Service {
  readonly image: string;
  readonly build?: { readonly context: string };
  readonly command?: readonly string[];
  readonly entrypoint?: readonly string[];
  readonly depends_on?: Record<string, { condition: string }>;
  readonly environment?: Record<string, string>;
  readonly secrets?: readonly string[];
  readonly healthcheck?: { test: readonly string[] };
  readonly networks?: readonly string[];
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
  readonly restart?: string;
  readonly deploy?: { replicas: number };
  readonly profiles?: readonly string[];
  readonly stop_grace_period?: string;
}

const compose = parse(readFileSync(join(ROOT, 'docker-compose.yml'), 'utf8'), { merge: true }) as {
  readonly services: Record<string, Service>;
  readonly volumes: Record<string, null>;
  readonly networks: Record<string, { internal?: boolean } | null>;
};
const services = Object.entries(compose.services);
const service = (name: string): Service => compose.services[name]!;

describe('docker-compose.yml', () => {
  it('publishes ports only to this machine, and none of the database', () => {
    for (const port of services.flatMap(([, { ports = [] }]) => ports)) expect(port).toMatch(/^127\.0\.0\.1:/);
    expect(service('postgresql').ports).toBeUndefined();
    expect(service('postgresql').networks).toEqual(['database']);
    expect(compose.networks['database']).toEqual({ internal: true });
  });

  it('checks the health of every long-running service, and waits only for services that become healthy or end', () => {
    for (const [, { restart, healthcheck }] of services) {
      if (restart === 'unless-stopped') expect(healthcheck?.test.every((word) => typeof word === 'string')).toBe(true);
    }
    for (const [dependency, { condition }] of services.flatMap(([, { depends_on = {} }]) =>
      Object.entries(depends_on),
    )) {
      if (condition === 'service_healthy') expect(service(dependency).healthcheck).toBeDefined();
      else expect(service(dependency).restart).not.toBe('unless-stopped');
    }
  });

  it('declares every volume and network that it uses', () => {
    const named = services.flatMap(([, { volumes = [] }]) => volumes).map((volume) => volume.split(':')[0]!);
    expect(new Set(named.filter((name) => !name.startsWith('.')))).toEqual(new Set(Object.keys(compose.volumes)));
    const networks = services.flatMap(([, { networks = [] }]) => networks);
    for (const network of networks) expect(compose.networks).toHaveProperty(network);
  });

  it('runs two workers and the command on one store, account and gateway', () => {
    const worker = service('worker');
    const command = service('dailies');
    expect(worker.deploy).toEqual({ replicas: 2 });
    expect(command.profiles).toEqual(['cli']);
    expect(command.environment).toEqual(worker.environment);
    expect(command.volumes).toContain('store:/store');
    expect(worker.volumes).toContain('store:/store');
    expect(worker.environment?.['DAILIES_STORE']).toBe('/store');
  });

  it('makes the store without a key, and gives worker and command the key that their configuration names', async () => {
    const folder = await temporaryFolder();
    writeFileSync(join(folder, 'gateway-key'), 'f'.repeat(48), { mode: 0o600 });
    execFileSync(process.execPath, [DAILIES, ...service('store').command!], {
      env: environmentIn(folder, service('store')),
      cwd: folder,
    });
    expect(existsSync(join(folder, 'store', 'store.json'))).toBe(true);
    for (const name of ['worker', 'dailies']) {
      const config = readConfig(environmentIn(folder, service(name)), folder);
      expect(config).toMatchObject({ account: 'sandbox', storeFolder: join(folder, 'store') });
      expect(config.gateway?.key.reveal()).toBe('f'.repeat(48));
    }
  });

  it('gives a worker the time to finish a submit that the embedded set gives it', () => {
    const plan = planSet({ storeFolder: '.', env: process.env, gatewayAccount: 'sandbox' });
    const { graceMs } = plan.parts.find(({ name }) => name === 'worker')!;
    expect(Number.parseInt(service('worker').stop_grace_period!) * 1000).toBeGreaterThan(graceMs);
  });

  it('uses existing verbs and flags', () => {
    const own = services.filter(([, { build, command }]) => build !== undefined && command !== undefined);
    expect(own.map(([name]) => name)).toEqual(['sandbox', 'store', 'worker']);
    for (const [, { command }] of own) {
      const [verb, ...flags] = command!;
      const help = dailies(verb!, '--help');
      for (const flag of flags.filter((word) => word.startsWith('--'))) expect(help).toContain(flag);
    }
    expect(dailies('doctor', '--help')).toContain('Usage: dailies doctor');
  });
});

describe('the image', () => {
  const dockerfile = readFileSync(join(ROOT, 'Dockerfile'), 'utf8');

  it('is built from every source folder, and from named files only', () => {
    const { include } = JSON.parse(readFileSync(join(ROOT, 'tsconfig.json'), 'utf8')) as { include: string[] };
    const [everything, ...letIn] = readFileSync(join(ROOT, '.dockerignore'), 'utf8')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'));
    expect(everything).toBe('*');
    for (const folder of include.filter((name) => name !== 'test')) expect(letIn).toContain(`!${folder}`);
    expect(letIn.filter((line) => /env|dailies|out/.test(line))).toEqual([]);
  });

  it('runs as a user other than root, on a Node that the project supports', () => {
    const last = dockerfile.slice(dockerfile.lastIndexOf('\nFROM '));
    expect(last).toMatch(/^USER \$DAILIES_UID:\$DAILIES_GID$/m);
    expect(last).toMatch(/^ARG DAILIES_UID=[1-9]/m);
    const images = [...dockerfile.matchAll(/^FROM node:(\d+)/gm)].map(([, major]) => Number(major));
    expect(images).toHaveLength(2);
    for (const major of images) expect(major).toBeGreaterThanOrEqual(20);
  });
});

/** A service's environment with defaults for unset variables, its store in the folder, and only its own secrets. */
function environmentIn(folder: string, { environment = {}, secrets = [] }: Service): Record<string, string> {
  const placed = (value: string): string =>
    value
      .replace(/^\$\{\w+:-(.*)\}$/, '$1')
      .replace(/^\/store$/, join(folder, 'store'))
      .replace(/^\/run\/secrets\/(.*)$/, (_, name: string) => join(folder, secrets.includes(name) ? name : 'missing'));
  return Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, placed(value)]));
}

function dailies(...args: string[]): string {
  return execFileSync(process.execPath, [DAILIES, ...args], { encoding: 'utf8' });
}
