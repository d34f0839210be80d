import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { planFile } from '../../../client/plan/plan-file';
import { loadProduction } from '../../../client/production-file';
import { openStore } from '../../../store';
import { temporaryFolder } from '../../support/temporary-folder';

/** The version of the plan of a film with these fields. */
async function versionOf(fields: string): Promise<string> {
  const folder = await temporaryFolder();
  const file = join(folder, 'film.yaml');
  const shot = '{ id: dawn, model: beta-video, prompt: a dawn, duration: 8, resolution: 720p }';
  await writeFile(file, `${fields}\nshots:\n  - ${shot}\n`);
  const loaded = await loadProduction(file, { fileValues: 'auto', dataUriMaxBytes: 1_000 });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.issues));
  const store = await openStore(join(folder, 'store'));
  const context = { store, account: 'sandbox', quotes: store.account('sandbox').quotes({}) };
  return (await planFile(context, loaded.production, { file })).version;
}

describe('the version of a plan', () => {
  it('is the same for the same film, and another if any rule that may cost credits changes', async () => {
    const readyBy = 'readyBy: 2999-01-01T08:00:00Z';
    const versions = [
      '',
      'budget: { credits: 100 }',
      readyBy,
      `${readyBy}\nfallback: { duration: 4 }`,
      `${readyBy}\nfallback: { duration: 4, resolution: 480p }`,
      `${readyBy}\nfallback: { duration: 4, takes: 3 }`,
    ];
    const found = await Promise.all(versions.map(versionOf));
    expect(new Set(found).size).toBe(versions.length);
    expect(await Promise.all(versions.map(versionOf))).toEqual(found);
  });
});
