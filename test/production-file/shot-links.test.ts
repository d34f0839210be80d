import { linkFindings } from '../../client/production-file/checks/shot-links';
import { wholeLink } from '../../contracts/file/frame-links';

describe('a link to what another shot makes', () => {
  it('says that a prompt must come from a text model', () => {
    const link = { shot: 'dawn', link: wholeLink('dawn.prompt'), wants: 'text', path: ['shots', 0, 'prompt'] } as const;
    const [finding, ...others] = linkFindings([link], new Map([['dawn.prompt', 'video']]));
    expect(others).toEqual([]);
    expect(finding?.message).toBe('shot "dawn.prompt" must make text, and its model makes a video; name a text model');
    expect(linkFindings([link], new Map([['dawn.prompt', 'text']]))).toEqual([]);
  });
});
