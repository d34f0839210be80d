import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { EventEmitter } from 'node:events';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { openFile, openerOn } from '../../../scripts/process/open-file';
import { within } from '../../../scripts/process/surroundings';
import { temporaryFolder } from '../../support/temporary-folder';
import { until } from '../../support/until';

async function folderWithOpener(): Promise<string> {
  const folder = await temporaryFolder();
  const opener = join(folder, 'xdg-open');
  writeFileSync(
    opener,
    `#!/bin/sh\nprintf '%s\\n' "$#" "$1" "key:$DAILIES_GATEWAY_KEY" "secret:$DAILIES_NOTIFY_SECRET" > "$OPENED.tmp" && mv "$OPENED.tmp" "$OPENED"\n`,
  );
  chmodSync(opener, 0o755);
  return folder;
}

describe('a file that is opened', () => {
  it("is opened by the platform's opener if there is a display", async () => {
    const folder = await folderWithOpener();
    const here = { PATH: `/nowhere:${folder}`, DISPLAY: ':0' };
    expect(openerOn('linux', here)).toBe(join(folder, 'xdg-open'));
    expect(openerOn('linux', { ...here, DISPLAY: '', WAYLAND_DISPLAY: 'wayland-0' })).toBe(join(folder, 'xdg-open'));
    expect(openerOn('linux', { ...here, DISPLAY: '' })).toBeUndefined();
    expect(openerOn('linux', { PATH: '/nowhere', DISPLAY: ':0' })).toBeUndefined();
    expect(openerOn('darwin', {})).toBe('open');
    expect(openerOn('win32', {})).toBe('explorer.exe');
  });

  it('is one argument, which no shell reads, of a program that gets no secret', async () => {
    const folder = await folderWithOpener();
    const opened = join(folder, 'opened');
    const path = join(folder, 'dawn $(touch owned); "take" 1.mp4');
    const stream = new Writable({
      write: (_text, _encoding, done) => {
        done();
      },
    });
    const env = {
      PATH: `${folder}:/usr/bin:/bin`,
      DISPLAY: ':0',
      OPENED: opened,
      DAILIES_GATEWAY_KEY: 'k',
      DAILIES_NOTIFY_SECRET: 's',
    };
    const own = { cwd: folder, env, stdin: Readable.from([]), stdout: stream, stderr: stream };
    await within({ ...own, signals: new EventEmitter() }, () => Promise.resolve(openFile(path)));
    await until(() => existsSync(opened));
    expect(readFileSync(opened, 'utf8')).toBe(`1\n${path}\nkey:\nsecret:\n`);
    expect(existsSync(join(folder, 'owned'))).toBe(false);
  });
});
