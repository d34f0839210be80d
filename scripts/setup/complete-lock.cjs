'use strict';
/**
 * Adds to package-lock.json the optional packages that npm left out, so that `npm ci` accepts it on every platform.
 *
 * npm lists an optional package of another platform only if the registry in use has the package. But `npm ci` refuses a
 * lock file that does not list all of them. Added entries have no integrity, because the packages were not downloaded;
 * npm adds the integrity when it can. After each change of dependencies, run `node scripts/setup/complete-lock.cjs`.
 */
const { readFileSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');

const SYSTEMS = ['aix', 'android', 'darwin', 'freebsd', 'linux', 'netbsd', 'openbsd', 'openharmony', 'sunos', 'win32'];
const PROCESSORS = ['arm', 'arm64', 'ia32', 'loong64', 'mips64el', 'ppc64', 'riscv64', 's390x', 'wasm32', 'x64'];

/** The lock with the missing entries; the same object if none is missing. */
function completed(lock) {
  const missing = Object.values(lock.packages).flatMap(({ optionalDependencies = {}, dev }) =>
    Object.entries(optionalDependencies)
      .filter(([name]) => lock.packages[`node_modules/${name}`] === undefined)
      .map(([name, version]) => [`node_modules/${name}`, entry(name, version, dev)]),
  );
  if (missing.length === 0) return lock;
  const packages = [...Object.entries(lock.packages), ...missing].sort(([one], [other]) => (one < other ? -1 : 1));
  return { ...lock, packages: Object.fromEntries(packages) };
}

function entry(name, version, dev) {
  if (!/^\d+\.\d+\.\d+/.test(version))
    throw new Error(`${name} is wanted as ${version}: only npm can choose a version`);
  // Packages for one platform have names such as @swc/core-linux-arm64-musl.
  const words = name.split(/[/-]/);
  const os = SYSTEMS.filter((system) => words.includes(system));
  const cpu = PROCESSORS.filter((processor) => words.includes(processor));
  if (os.length + cpu.length === 0) throw new Error(`${name} does not say in its name which platform it is for`);
  const libc = words.some((word) => word.startsWith('musl')) ? 'musl' : 'glibc';
  return {
    version,
    ...(cpu.length === 0 ? {} : { cpu }),
    ...(dev === true ? { dev } : {}),
    ...(os.includes('linux') ? { libc: [libc] } : {}),
    optional: true,
    ...(os.length === 0 ? {} : { os }),
  };
}

if (require.main === module) {
  const file = join(__dirname, '..', '..', 'package-lock.json');
  writeFileSync(file, `${JSON.stringify(completed(JSON.parse(readFileSync(file, 'utf8'))), null, 2)}\n`);
}

module.exports = { completed };
