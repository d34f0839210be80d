import type { SandboxOptions } from '../../sandbox';

type Pictures = Required<Pick<SandboxOptions, 'pictures'>>;

/** For suites that do not look at pictures: what a sandbox is started with by default in tests. */
export const PLAIN: Pictures = { pictures: 'plain' };

/** For suites that look at pictures, or at what is seen while they are rendered. */
export const PAINTED: Pictures = { pictures: 'painted' };

/** The same for a sandbox that a command or a set brings up. */
export const PLAIN_ENV = { DAILIES_SANDBOX_PICTURES: PLAIN.pictures };
export const PAINTED_ENV = { DAILIES_SANDBOX_PICTURES: PAINTED.pictures };
