import { join } from 'node:path';
import { directedProduction } from '../../client/freeze/directed-production';
import { formatIssues, loadProduction } from '../../client/production-file';
import { freezeProduction } from '../../client/freeze/freeze-production';
import { findFfmpeg, runFfmpeg } from '../../media';
import { openStore, shotDigest } from '../../store';
import { temporaryFolder } from '../support/temporary-folder';
import { fileWith, policy, production } from './production-fixtures';

const SHOTS = `
shots:
  - { id: a, model: beta-video, prompt: dawn, resolution: 1080p, duration: 8 }
  - { id: b, model: alpha-video, prompt: noon, duration: 5 }
`;

async function issuesOf(text: string): Promise<string> {
  const loaded = await loadProduction(await fileWith(text), policy);
  return loaded.ok ? '' : formatIssues(loaded.issues).replaceAll(/^.*?film\.yaml:/gm, '');
}

describe('readyBy and fallback in a production file', () => {
  it('are not part of the frozen production, so that they change no request', async () => {
    const store = await openStore(await temporaryFolder());
    const [plain, timed] = [
      await freezeProduction(await production(SHOTS), store),
      await freezeProduction(await production(`readyBy: 08:00\nfallback: { resolution: 480p }\n${SHOTS}`), store),
    ];
    expect(timed.ref.sha256).toBe(plain.ref.sha256);
    expect(plain.plan.readyBy).toBeUndefined();
    expect(timed.plan.readyBy).toEqual({
      rule: { kind: 'time', time: '08:00', timeZone: null },
      fallback: expect.objectContaining({ mediaType: 'application/json' }),
    });
  });

  it('are reported once if they are invalid, with the affected shots', async () => {
    expect(await issuesOf(`readyBy: tomorrow\n${SHOTS}`)).toMatch(/^1:10 .*time of day, such as 08:00/);
    expect(await issuesOf(`fallback: { takes: 1 }\n${SHOTS}`)).toMatch(/^1:1 .*readyBy/);
    expect(await issuesOf(`readyBy: 08:00\nfallback: {}\n${SHOTS}`)).toMatch(/^2:\d+ fallback is empty/);
    expect(await issuesOf(`readyBy: 08:00\nfallback: { model: beta-vidoe }\n${SHOTS}`)).toMatch(
      /^2:\d+ unknown model "beta-vidoe".*for shots a, b\)$/,
    );
    const long = await issuesOf(`readyBy: 08:00\nfallback: { duration: 20 }\n${SHOTS}`);
    expect(long.split('\n')).toHaveLength(1);
    expect(long).toMatch(/^2:\d+ duration.*\(for shot b\)$/);
    expect(await issuesOf(`readyBy: 08:00\nfallback: { fps: 10 }\n${SHOTS}`)).toMatch(/^2:\d+ .*fps/);
  });

  it('is refused if its model takes only shorter files, or if it makes too many takes', async () => {
    const folder = await temporaryFolder();
    await runFfmpeg(await findFfmpeg(), ['-f', 'lavfi', '-i', 'sine', '-t', '40', join(folder, 'long.wav')]);
    const shot = `{ id: a, model: alpha-video, prompt: dawn, audioUrls: [${join(folder, 'long.wav')}] }`;
    expect(await issuesOf(`shots: [${shot}]`)).toBe('');
    expect(await issuesOf(`readyBy: 08:00\nfallback: { model: beta-video }\nshots: [${shot}]`)).toMatch(
      /^2:\d+ .*lasts 40\.0 s.* at most 30 s.*\(for shot a\)$/,
    );
    const many = Array.from({ length: 500 }, (_, index) => `{ id: s${index}, model: beta-video, prompt: dawn }`);
    expect(await issuesOf(`readyBy: 08:00\nfallback: { takes: 8 }\nshots: [${many.join(', ')}]`)).toMatch(
      /^2:\d+ .*4000 takes/,
    );
  });

  it('is followed by later renders until the shot changes in the file', async () => {
    const store = await openStore(await temporaryFolder());
    const text = `id: film\nreadyBy: 08:00\nfallback: { resolution: 480p, takes: 1 }\ndefaults: { takes: 3 }\n${SHOTS}`;
    const { frozen } = await freezeProduction(await production(text), store);
    const [a] = frozen.shots;
    const shot = { ...a!, parameters: { ...a!.parameters, resolution: '480p' } };
    await store.directing.direct('film', 'a', { of: shotDigest(a!), shot, by: 'deadline', takes: 1 });
    const later = await freezeProduction(await production(text), store);
    expect(later.plan.shots.map(({ id, takes, digest }) => [id, takes, digest === shotDigest(shot)])).toEqual([
      ['a', 1, true],
      ['b', 3, false],
    ]);
    expect((await directedProduction(frozen, store)).byDeadline).toEqual(new Set(['a']));
    const changed = await freezeProduction(await production(text.replace('dawn', 'dusk')), store);
    expect(changed.plan.shots[0]?.takes).toBe(3);
    expect(changed.lapsed).toEqual(['a']);
  });
});
