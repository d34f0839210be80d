import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

const ROOT = join(__dirname, '..', '..');

interface Service {
  readonly image: string;
  readonly build?: unknown;
  readonly command?: readonly string[];
  readonly environment?: Record<string, string>;
  readonly secrets?: readonly string[];
  readonly read_only?: boolean;
  readonly mem_limit?: string;
  readonly pids_limit?: number;
  readonly security_opt?: readonly string[];
  readonly tmpfs?: readonly string[];
}

/** What a compromised process can do in a container of docker-compose.yml. */
describe('docker-compose.yml', () => {
  const text = readFileSync(join(ROOT, 'docker-compose.yml'), 'utf8');
  const compose = parse(text, { merge: true }) as {
    readonly services: Record<string, Service>;
    readonly secrets: Record<string, { file?: string }>;
  };
  const services = Object.entries(compose.services);
  const own = services.filter(([, { build }]) => build !== undefined);

  it.each(services)('bounds memory and processes of %s, which gains no privileges', (_, service) => {
    expect(service.mem_limit).toMatch(/^\d+g$/);
    expect(service.pids_limit).toBeGreaterThan(0);
    expect(service.security_opt).toContain('no-new-privileges:true');
  });

  it.each([...own, ['postgresql', compose.services['postgresql']!] as const])(
    '%s cannot change its image',
    (_, one) => {
      expect(one.read_only).toBe(true);
      expect(one.tmpfs?.some((path) => path.startsWith('/tmp'))).toBe(true);
    },
  );

  it('contains no secret, and passes none in an environment: secrets are files of the person', () => {
    for (const [, { environment = {} }] of services) {
      const named = Object.entries(environment).filter(([name]) => /PASSWORD|PWD|(?<!NOTIFY_)SECRET|_KEY/.test(name));
      for (const [name, value] of named) {
        expect(name).toMatch(/_FILE$/);
        expect(value).toMatch(/^\/run\/secrets\//);
      }
    }
    for (const { file: path } of Object.values(compose.secrets)) expect(path).toMatch(/\.\/secrets\/[a-z-]+\}?$/);
    for (const [, { secrets = [] }] of services) for (const one of secrets) expect(compose.secrets).toHaveProperty(one);
    expect(text).not.toMatch(/--key[,\s]/);
    expect(readFileSync(join(ROOT, '.gitignore'), 'utf8')).toMatch(/^\/secrets\/$/m);
  });

  it("gives the gateway's key to the containers that call the gateway, and the sandbox's to the sandbox", () => {
    const holders = (secret: string) =>
      services.filter(([, one]) => one.secrets?.includes(secret)).map(([name]) => name);
    expect(holders('gateway-key')).toEqual(['worker', 'dailies']);
    expect(holders('sandbox-key')).toEqual(['sandbox']);
  });
});

describe('the image', () => {
  it('has no folder that every user may write to', () => {
    const dockerfile = readFileSync(join(ROOT, 'Dockerfile'), 'utf8');
    expect(dockerfile).not.toMatch(/mode=1?777|chmod.*777/);
    expect(dockerfile).toMatch(/--mode=0700 --owner="\$DAILIES_UID" .*\/store/);
  });

  it('is built from the versions in the lock file', () => {
    expect(readFileSync(join(ROOT, 'Dockerfile'), 'utf8')).toMatch(/^RUN npm ci /m);
  });
});
