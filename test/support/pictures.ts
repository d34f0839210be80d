import type { SandboxOptions } from '../../sandbox';

type Pictures = Required<Pick<SandboxOptions, 'pictures'>>;

/** For tests that do not look at pictures: the default of a sandbox in tests. */
export const PLAIN: Pictures = { pictures: 'plain' };

/** For tests that look at pictures, or at a production while its pictures render. */
export const PAINTED: Pictures = { pictures: 'painted' };

/** The same for a sandbox that a command or an embedded set starts. */
export const PLAIN_ENV = { DAILIES_SANDBOX_PICTURES: PLAIN.pictures };
export const PAINTED_ENV = { DAILIES_SANDBOX_PICTURES: PAINTED.pictures };
