import { join } from 'node:path';

/**
 * Path of a compiled program under workers/, to start as a process of its own.
 *
 * Also right when this module itself runs from source, as under a test runner: programs are always started compiled.
 */
export function entryPoint(name: string): string {
  const workers = __filename.endsWith('.ts') ? join(__dirname, '..', '..', 'dist', 'workers') : join(__dirname, '..');
  return join(workers, `${name}.js`);
}
