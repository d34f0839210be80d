import { userInfo } from 'node:os';
import { otherUsers } from '../../workers/embedded/other-users';
import { dailies } from '../scripts/command';
import { temporaryFolder } from '../support/temporary-folder';

const ACCOUNTS = [
  'root:x:0:0:root:/root:/bin/bash',
  'www-data:x:33:33:www-data:/var/www:/bin/bash',
  'ada:x:1000:1000:Ada:/home/ada:/bin/bash',
  'ben:x:1001:1001::/home/ben:/bin/zsh',
  'cy:x:1002:1002::/home/cy:/bin/sh',
  'mail-only:x:1003:1003::/home/mail:/usr/sbin/nologin',
  'nobody:x:65534:65534:nobody:/nonexistent:/bin/sh',
  'a broken line',
].join('\n');

describe('the other users of the machine', () => {
  const seen = (ownUid: number, processUids: number[], accounts = ACCOUNTS) =>
    otherUsers({ ownUid, accounts, processUids });

  it('are those who are logged in, and those who may log in', () => {
    expect(seen(1000, [0, 33, 1000, 1001, 1001])).toEqual({ atWork: ['ben'], mayLogIn: ['cy'] });
  });

  it('are neither this user, nor root, services and accounts without a shell', () => {
    const accounts = ACCOUNTS.replaceAll('/bin/zsh', '/bin/false').replaceAll('cy:x:1002', 'cy:x:102');
    expect(seen(1000, [0, 33, 65_534, 100_123], accounts)).toEqual({ atWork: [], mayLogIn: [] });
  });

  it('are numbers if they have no name', () => {
    expect(seen(0, [1044], '')).toEqual({ atWork: ['user 1044'], mayLogIn: [] });
  });

  it('can be found on this system', () => {
    const { atWork, mayLogIn } = otherUsers()!;
    expect([...atWork, ...mayLogIn]).not.toContain(userInfo().username);
  });
});

describe('dailies doctor', () => {
  const temporal = async (env: Record<string, string>) => {
    const { stdout } = await dailies(['doctor', '--json'], { folder: await temporaryFolder(), env });
    const { findings } = JSON.parse(stdout) as { findings: { what: string; ok: boolean; warning?: true }[] };
    return findings.find(({ what }) => what === 'temporal');
  };

  it('warns of other users if the embedded server is used', async () => {
    const { atWork, mayLogIn } = otherUsers()!;
    const isAlone = atWork.length + mayLogIn.length === 0;
    expect(await temporal({})).toMatchObject({ ok: true, ...(isAlone ? {} : { warning: true }) });
  });

  it('does not warn if a Temporal server is configured', async () => {
    expect((await temporal({ TEMPORAL_ADDRESS: '127.0.0.1:1' }))?.warning).toBeUndefined();
  });
});
