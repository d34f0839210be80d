import type { compileFunction } from 'node:vm';

export function compileOnce(compile: typeof compileFunction): typeof compileFunction;
