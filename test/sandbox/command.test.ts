import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { probe } from '../../media';
import { temporaryFolder } from '../support/temporary-folder';
import { until } from '../support/until';
import { dailies, type RunningCommand, startDailies } from '../scripts/command';
import { savedAs } from './media-files';
import { CLIP, download, finish, IMAGE, submit } from './rig';

describe('dailies sandbox', () => {
  it('misbehaves as its flags say', async () => {
    const args = ['sandbox', '--port', '0', '--key', 'a-key', '--fault', 'refuse-402=1', '--fault', 'file-empty=.5'];
    const command = startDailies(args, { folder: await temporaryFolder() });
    try {
      const url = await until(() => addressOf(command));
      const armed = {
        armed: [
          { kind: 'refuse-402', share: 1 },
          { kind: 'file-empty', share: 0.5 },
        ],
        struck: {},
      };
      expect(
        await (await fetch(`${url}/sandbox/faults`, { headers: { authorization: 'Bearer a-key' } })).json(),
      ).toEqual(armed);
      const answer = await fetch(`${url}/workflows/v1/models/submit`, {
        method: 'POST',
        headers: { authorization: 'Bearer a-key', 'content-type': 'application/json' },
        body: JSON.stringify({ params: IMAGE }),
      });
      expect(answer.status).toBe(402);
    } finally {
      command.signal('SIGINT');
    }
    expect(await command.ended).toMatchObject({ exitCode: 0 });
  });

  it('makes plain pictures if the variable says so', async () => {
    const env = { DAILIES_SANDBOX_PICTURES: 'plain' };
    const command = startDailies(['sandbox', '--port', '0', '--key', 'a-key'], {
      folder: await temporaryFolder(),
      env,
    });
    try {
      const gateway = { url: await until(() => addressOf(command)) };
      const { result } = await finish(gateway, await submit(gateway, 'beta-2.5', CLIP));
      expect(await probe(await savedAs('clip', await download(result!.url!)))).toMatchObject({ width: 214 });
    } finally {
      command.signal('SIGINT');
    }
    await command.ended;
  });

  it('takes its key from a file, and prints the file instead of the key', async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, 'key'), 'key-of-a-file\n', { mode: 0o600 });
    const command = startDailies(['sandbox', '--port', '0', '--key-file', 'key'], { folder });
    try {
      const url = await until(() => addressOf(command));
      const health = (key: string) => fetch(`${url}/sandbox/health`, { headers: { authorization: `Bearer ${key}` } });
      expect((await health('key-of-a-file')).status).toBe(200);
      expect((await health('another')).status).toBe(401);
      expect(command.stdout()).toContain('DAILIES_GATEWAY_KEY_FILE=');
      expect(command.stdout() + command.stderr()).not.toContain('key-of-a-file');
    } finally {
      command.signal('SIGINT');
    }
    await command.ended;
  });

  it.each(['nonsense=1', 'refuse-402', 'refuse-402=2', 'refuse-402=-1', 'toString=1'])(
    'refuses --fault %s and names the existing faults',
    async (fault) => {
      const { exitCode, stderr } = await dailies(['sandbox', '--port', '0', '--fault', fault], {
        folder: await temporaryFolder(),
      });
      expect(exitCode).toBe(2);
      expect(stderr).toContain(`--fault ${fault}`);
      expect(stderr).toContain('accept-drop');
    },
  );
});

function addressOf(command: RunningCommand): string | undefined {
  return /DAILIES_GATEWAY_URL=(\S+)/.exec(command.stdout())?.[1];
}
