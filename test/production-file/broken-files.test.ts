import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type FileValuePolicy, formatIssues, loadProduction } from '../../client/production-file';

/** Each broken file has a sibling with its expected issues; the first line of a file may set the policy. */
const folder = join(__dirname, 'broken');
const brokenFiles = readdirSync(folder).filter((name) => /\.(yaml|json)$/.test(name));

function policyOf(path: string): FileValuePolicy {
  const written = /^# policy (\{.*\})/.exec(readFileSync(path, 'latin1'))?.[1];
  return written === undefined
    ? { fileValues: 'auto', dataUriMaxBytes: 20_000_000 }
    : (JSON.parse(written) as FileValuePolicy);
}

describe('a broken production file', () => {
  it('comes in many kinds', () => {
    expect(brokenFiles.length).toBeGreaterThanOrEqual(30);
  });

  it.each(brokenFiles)('%s is refused with every error, its position and its remedy', async (name) => {
    const path = join(folder, name);
    const result = await loadProduction(path, policyOf(path));

    const said = result.ok ? 'nothing' : formatIssues(result.issues).replaceAll(`${path}:`, '');
    expect(`${said}\n`).toBe(readFileSync(`${path}.expected`, 'utf8'));
  });
});
