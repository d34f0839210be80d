import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import type { Wire } from '../faults/wire';

/**
 * The sandbox's part of Hono's context. It is not in faults/wire.ts, because the package's exported types refer to that
 * file, and Hono's types would require programs to have the DOM's types.
 */
export interface WireEnv {
  readonly Bindings: HttpBindings;
  readonly Variables: { readonly wire: Wire };
}
export type WireContext = Context<WireEnv>;
